// Makes the files next to a packaged agent: its Dockerfile, and the configuration for OpenFaaS and Knative.

export interface Packaged {
  /** Name of the function or service: a DNS label. */
  name: string
  /** The agent's name for people. */
  agent: string
  image: string
  /** Maximum time of one item, in seconds. */
  timeout_s: number
}

/** Added to the item's timeout: a request ends with its last item, and the agent must report its own timeout first. */
const MARGIN_S = 10

export const packageFiles = (packaged: Packaged): Record<string, string> => ({
  Dockerfile: DOCKERFILE,
  'stack.yml': stack(packaged),
  'service.yaml': knativeService(packaged),
})

// One image for both: OpenFaaS sets fprocess and needs its watchdog in front, Knative needs the server itself.
const DOCKERFILE = `FROM ghcr.io/openfaas/of-watchdog:0.11.6 AS watchdog
FROM node:24-bookworm-slim
COPY --from=watchdog /fwatchdog /usr/bin/fwatchdog
WORKDIR /app
COPY agent.mjs server.mjs ./
USER 10001
ENV NODE_ENV=production
EXPOSE 8080
CMD ["sh", "-c", "if [ -n \\"$fprocess\\" ]; then exec fwatchdog; else exec node server.mjs; fi"]
`

function stack({ name, image, timeout_s }: Packaged): string {
  const longest_s = Math.ceil(timeout_s) + MARGIN_S
  return `# faas-cli deploy --yaml stack.yml
# The gateway must allow ${longest_s} s: its upstreamTimeout, readTimeout and writeTimeout.
# Once "assay deploy" has printed the key: faas-cli secret create ${name}-key --from-literal=whsec_…,
# take the # off the three lines below, and deploy again. Then the function answers Assay alone.
version: "1.0"
provider:
  name: openfaas
  gateway: \${OPENFAAS_URL:-http://127.0.0.1:8080}
functions:
  ${quoted(name)}:
    skip_build: true
    image: ${quoted(image)}
    environment:
      # ASSAY_AGENT_KEY_FILE: /var/openfaas/secrets/${name}-key
      mode: http
      fprocess: node /app/server.mjs
      upstream_url: http://127.0.0.1:3000
      PORT: "3000"
      port: "8080"
      read_timeout: ${longest_s}s
      write_timeout: ${longest_s}s
      exec_timeout: ${longest_s}s
      healthcheck_interval: 5s
      prefix_logs: "false"
      ready_path: /healthz
    annotations:
      com.openfaas.ready.http.path: /_/ready
    # secrets:
    #   - ${name}-key
    requests:
      cpu: 20m
      memory: 96Mi
    limits:
      cpu: "1"
      memory: 384Mi
    readonly_root_filesystem: true
`
}

function knativeService({ name, image, timeout_s }: Packaged): string {
  const longest_s = Math.ceil(timeout_s) + MARGIN_S
  const beyond =
    longest_s > KNATIVE_LONGEST_S
      ? `# timeoutSeconds is beyond the ${KNATIVE_LONGEST_S} s that Knative allows: raise max-revision-timeout-seconds in config-defaults.\n`
      : ''
  return `# kubectl apply --filename service.yaml
${beyond}# Once "assay deploy" has printed the key: kubectl create secret generic ${name}-key --from-literal=ASSAY_AGENT_KEY=whsec_…
# and apply the Service under another image tag or annotation, so that a new revision reads it. Then it answers Assay alone.
apiVersion: serving.knative.dev/v1
kind: Service
metadata:
  name: ${quoted(name)}
  labels:
    app.kubernetes.io/name: ${quoted(name)}
    networking.knative.dev/visibility: cluster-local
spec:
  template:
    spec:
      timeoutSeconds: ${longest_s}
      responseStartTimeoutSeconds: ${longest_s}
      enableServiceLinks: false
      containers:
        - name: agent
          image: ${quoted(image)}
          ports:
            - name: http1
              containerPort: 8080
          env:
            - name: ASSAY_AGENT_KEY
              valueFrom:
                secretKeyRef:
                  name: ${name}-key
                  key: ASSAY_AGENT_KEY
                  optional: true
          readinessProbe:
            httpGet:
              path: /healthz
              port: 8080
            periodSeconds: 1
          resources:
            requests:
              cpu: 20m
              memory: 96Mi
            limits:
              cpu: "1"
              memory: 384Mi
          securityContext:
            runAsNonRoot: true
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop:
                - ALL
            seccompProfile:
              type: RuntimeDefault
`
}

const KNATIVE_LONGEST_S = 600

const quoted = (text: string) => JSON.stringify(text)
