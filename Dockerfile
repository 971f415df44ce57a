# The command line in an image:
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" ipcae select table.csv --target y -k 5 --out panel
FROM python:3.12-slim

# The version of PyTorch that is tested. For another build of it, such as one for CPUs only, which is much smaller, pass
# the address of its index: docker build --build-arg PIP_EXTRA_INDEX_URL=ADDRESS --build-arg TORCH=torch==2.13.0+cpu .
ARG TORCH="torch==2.13.0"
ARG PIP_EXTRA_INDEX_URL

COPY pyproject.toml README.md LICENSE /opt/ipcae/
COPY src /opt/ipcae/src
# TORCH is pinned, the other is a folder.
# hadolint ignore=DL3013
RUN pip install --no-cache-dir "$TORCH" "/opt/ipcae[all,sc]" && rm -rf /opt/ipcae

# Any user may run it, such as the owner of the mounted folder.
ENV HOME=/tmp MPLCONFIGDIR=/tmp/matplotlib
RUN useradd --no-create-home --uid 1000 user
USER 1000
WORKDIR /data
ENTRYPOINT ["ipcae"]
CMD ["--help"]
