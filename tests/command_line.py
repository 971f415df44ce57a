"""The command line in this process."""

from typer.testing import CliRunner

from ipcae.cli.app import app


def run(*arguments):
    """Run a command, and return its exit code and output as Typer does."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
