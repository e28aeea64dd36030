# syntax=docker/dockerfile:1
# docker build --build-arg VERSION=$(git describe --tags --always) -t proxaudit .
FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=dev
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /proxaudit .

# Nothing but the program and the public certificate authorities, for a Proxmox or a webhook that has a certificate of theirs.
FROM scratch
ARG VERSION=dev
LABEL org.opencontainers.image.title="proxaudit" \
      org.opencontainers.image.description="Finds Proxmox VE guests, Cluster API Machines and Kubernetes Nodes that do not belong together" \
      org.opencontainers.image.source="https://github.com/proxaudit/proxaudit" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /proxaudit /proxaudit
# A number, so that the kubelet sees that it is not root.
USER 65532:65532
ENTRYPOINT ["/proxaudit"]
