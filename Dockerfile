# The HTTP service alone, as a user without rights: docker build -t iso8583-lab .   (podman: with --format docker)
# With --build-arg EXTRAS=jupyter the command line in it can do all else, too; compose.yaml runs a host so.
# A release pins the image by its digest; .github/dependabot.yml moves it.
ARG PYTHON=3.13-slim-bookworm

FROM python:${PYTHON} AS build
ARG EXTRAS=server
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY sim sim
COPY server server
RUN python -m venv /opt/lab \
    && /opt/lab/bin/python -m pip install --no-cache-dir --disable-pip-version-check ".[${EXTRAS}]"

FROM python:${PYTHON}
RUN useradd --uid 10001 --no-log-init --no-create-home --shell /usr/sbin/nologin lab
COPY --from=build /opt/lab /opt/lab
ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    SIM_HOST=0.0.0.0 \
    SIM_PORT=8000
USER 10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s --retries=3 \
    CMD ["/opt/lab/bin/python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/health', timeout=2)"]
ENTRYPOINT ["/opt/lab/bin/iso8583-lab-server"]
