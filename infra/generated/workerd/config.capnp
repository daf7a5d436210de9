# Made from infra/values/workerd.yaml by Assay 0.1.0; change the values, not this.
# workerd serve --experimental -d state=/var/lib/assay-workerd config.capnp, with the bundles beside it.
# Secrets are read from the environment, by the names that infra/unit-settings.ts says; infra/workerd.md makes them. --experimental is for workerd's own cron and queue.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "internet", network = (allow = [])),
    (name = "backplane", network = (
      allow = ["127.0.0.1/32", "::1/128"],
      tlsOptions = (trustBrowserCas = true, trustedCertificates = []))),
    (name = "outside", network = (
      allow = ["public"], deny = ["64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "100.64.0.0/10"],
      tlsOptions = (trustBrowserCas = true))),
    (name = "state", disk = (writable = true)), # of the cron and the queue; nothing is lost with it that the tick misses
    (name = "router", worker = .router),
    (name = "health", worker = .health),
    (name = "account", worker = .account),
    (name = "projects", worker = .projects),
    (name = "agents", worker = .agents),
    (name = "runs", worker = .runs),
    (name = "items", worker = .items),
    (name = "recovery", worker = .recovery),
    (name = "schedules", worker = .schedules),
    (name = "docs", worker = .docs),
    (name = "dashboard", worker = .dashboard),
    (name = "consume", worker = .consume),
    (name = "tick", worker = .tick),
    (name = "cron", worker = .cron),
    (name = "queues", worker = .queues),
  ],
  sockets = [
    (name = "metrics", address = "127.0.0.1:9090", http = (), service = "tick"), # GET /metrics
    (name = "http", address = "127.0.0.1:8080", http = (), service = "router"),
  ],
);

const router :Workerd.Worker = (
  modules = [(name = "router", esModule = embed "router.mjs")],
  compatibilityDate = "2025-11-28",
  bindings = [
    (name = "health", service = "health"),
    (name = "account", service = "account"),
    (name = "projects", service = "projects"),
    (name = "agents", service = "agents"),
    (name = "runs", service = "runs"),
    (name = "items", service = "items"),
    (name = "recovery", service = "recovery"),
    (name = "schedules", service = "schedules"),
    (name = "docs", service = "docs"),
    (name = "dashboard", service = "dashboard"),
  ],
);

const health :Workerd.Worker = (
  modules = [(name = "health", esModule = embed "health.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "internet",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-health", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const account :Workerd.Worker = (
  modules = [(name = "account", esModule = embed "account.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-account", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_INTERFACE"),
    (name = "ASSAY_OPERATOR_KEY", fromEnvironment = "ASSAY_OPERATOR_KEY"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const projects :Workerd.Worker = (
  modules = [(name = "projects", esModule = embed "projects.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-projects", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_INTERFACE"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const agents :Workerd.Worker = (
  modules = [(name = "agents", esModule = embed "agents.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-agents", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_AGENTS"),
    (name = "ASSAY_OPERATOR_KEY", fromEnvironment = "ASSAY_OPERATOR_KEY"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const runs :Workerd.Worker = (
  modules = [(name = "runs", esModule = embed "runs.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-runs", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_ANSWERS"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const items :Workerd.Worker = (
  modules = [(name = "items", esModule = embed "items.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-items", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_INTERFACE"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const recovery :Workerd.Worker = (
  modules = [(name = "recovery", esModule = embed "recovery.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-recovery", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_INTERFACE"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const schedules :Workerd.Worker = (
  modules = [(name = "schedules", esModule = embed "schedules.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-schedules", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_SCHEDULES"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const docs :Workerd.Worker = (
  modules = [(name = "docs", esModule = embed "docs.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "internet",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-docs", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const dashboard :Workerd.Worker = (
  modules = [(name = "dashboard", esModule = embed "dashboard.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-dashboard", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_AGENTS"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
    (name = "ASSAY_TRUSTED_PROXIES", text = "127.0.0.1/32,::1/128"),
  ],
);

const consume :Workerd.Worker = (
  modules = [(name = "consume", esModule = embed "consume.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-consume", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_CONSUME"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
  ],
);

const tick :Workerd.Worker = (
  modules = [(name = "tick", esModule = embed "tick.mjs")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-tick", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_KEYS", fromEnvironment = "ASSAY_KEYS_TICK"),
    (name = "ASSAY_METRICS_TOKEN", fromEnvironment = "ASSAY_METRICS_TOKEN"),
    (name = "ASSAY_LOG_LEVEL", text = "info"),
    (name = "BASE_URL", text = "https://assay.example.com"),
  ],
);

const cron :Workerd.Worker = (
  modules = [(name = "cron", bundled = "/workerd/cron.js")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["service_binding_extra_handlers", "experimental"],
  durableObjectNamespaces = [(className = "Schedule", uniqueKey = "assay-cron", enableSql = true)],
  durableObjectStorage = (localDisk = "state"),
  bindings = [
    (name = "SCHEDULE", durableObjectNamespace = "Schedule"),
    (name = "CRONS", json = "{\"tick\":[\"* * * * *\"]}"),
    (name = "tick", service = "tick"),
  ],
);

const queues :Workerd.Worker = (
  modules = [(name = "queues", bundled = "/workerd/queues.js")],
  compatibilityDate = "2025-11-28",
  compatibilityFlags = ["service_binding_extra_handlers", "experimental"],
  durableObjectNamespaces = [(className = "QueueShard", uniqueKey = "assay-queues", enableSql = true)],
  durableObjectStorage = (localDisk = "state"),
  bindings = [
    (name = "SHARD", durableObjectNamespace = "QueueShard"),
    (name = "CONSUMERS", json = "{\"wake\":{\"consumer\":\"consume\",\"maxBatchSize\":100,\"maxBatchTimeout\":0,\"maxConcurrency\":1}}"),
    (name = "consume", service = "consume"),
  ],
);
