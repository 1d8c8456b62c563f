# A worker: Referee's programs on an image that has what your checks need.
#
#   docker build -f deploy/worker.Dockerfile --build-arg BASE=node:22-bookworm -t referee-worker deploy
#
# The build directory holds the programs of a Linux archive: referee, referee-fleet, referee-database, referee-mutants. They are
# static, so BASE may be any image.
ARG BASE=debian:bookworm-slim
FROM ${BASE}

# Git lists what belongs to a workspace; certificates are for the queue and the depot.
RUN apt-get update \
    && apt-get install --no-install-recommends --yes ca-certificates git \
    && rm -rf /var/lib/apt/lists/*

COPY --chmod=0755 referee referee-fleet referee-database referee-mutants /usr/local/bin/

# Checks run as this user, who owns nothing but the state directory.
RUN useradd --create-home --uid 10001 referee \
    && install --directory --owner=referee --mode=0700 /var/lib/referee
USER 10001
ENV REFEREE_STATE_DIR=/var/lib/referee
VOLUME /var/lib/referee
WORKDIR /home/referee

ENTRYPOINT ["referee", "worker"]
CMD ["--label", "linux"]
