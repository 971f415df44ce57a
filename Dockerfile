# The command line in an image: docker run --rm -v "$PWD:/data" ipcae select table.csv --target y -k 5
FROM python:3.12-slim

# A CPU build of PyTorch; use another index for a GPU.
ARG TORCH="torch==2.13.0"

COPY pyproject.toml README.md LICENSE /opt/ipcae/
COPY src /opt/ipcae/src
RUN pip install --no-cache-dir "$TORCH" "/opt/ipcae[all,sc]" && rm -rf /opt/ipcae

RUN useradd --create-home user
USER user
WORKDIR /data
ENTRYPOINT ["ipcae"]
CMD ["--help"]
