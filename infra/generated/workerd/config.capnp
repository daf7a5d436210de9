# Made by npm run generate.
#
#   node infra/workerd/bundle.ts --out dist/workerd        # the bundles, with a copy of this file and settings.capnp
#   workerd serve --experimental -d state=/var/lib/assay-workerd dist/workerd/config.capnp
#
# Settings are read from the environment:
#   DATABASE_URL, REDIS_URL, ASSAY_MASTER_KEY, BASE_URL, ASSAY_TRUSTED_PROXIES, ASSAY_ALLOW_CALLBACK_NETWORKS, ASSAY_LOG_LEVEL,
#   ASSAY_CONSUMER_URL, ASSAY_METRICS_TOKEN, ASSAY_OPERATOR_KEY
# infra/README.md tells what each is for. --experimental is for workerd's own cron and queue.
using Workerd = import "/workerd/workerd.capnp";
using Settings = import "settings.capnp";

const config :Workerd.Config = (
  services = [
    (name = "internet", network = (allow = [])),
    (name = "backplane", network = (
      allow = Settings.backplane,
      tlsOptions = (trustBrowserCas = true, trustedCertificates = Settings.trusted))),
    (name = "outside", network = (
      allow = Settings.outside, deny = ["64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "100.64.0.0/10"],
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
    (name = "http", address = "*:8080", http = (), service = "router"),
  ],
);

const router :Workerd.Worker = (
  modules = [(name = "router", esModule = embed "router.mjs")],
  compatibilityDate = "2026-07-01",
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
  compatibilityDate = "2026-07-01",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-health", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
  ],
);

const account :Workerd.Worker = (
  modules = [(name = "account", esModule = embed "account.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
    (name = "ASSAY_OPERATOR_KEY", fromEnvironment = "ASSAY_OPERATOR_KEY"),
  ],
);

const projects :Workerd.Worker = (
  modules = [(name = "projects", esModule = embed "projects.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
  ],
);

const agents :Workerd.Worker = (
  modules = [(name = "agents", esModule = embed "agents.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
  ],
);

const runs :Workerd.Worker = (
  modules = [(name = "runs", esModule = embed "runs.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
  ],
);

const items :Workerd.Worker = (
  modules = [(name = "items", esModule = embed "items.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
  ],
);

const recovery :Workerd.Worker = (
  modules = [(name = "recovery", esModule = embed "recovery.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
  ],
);

const schedules :Workerd.Worker = (
  modules = [(name = "schedules", esModule = embed "schedules.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
  ],
);

const docs :Workerd.Worker = (
  modules = [(name = "docs", esModule = embed "docs.mjs")],
  compatibilityDate = "2026-07-01",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "backplane",
  durableObjectNamespaces = [(className = "Host", uniqueKey = "assay-docs", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", durableObjectNamespace = "Host"),
    (name = "OUTSIDE", service = "outside"),
    (name = "WAKE", queue = (name = "queues", props = (json = "{\"queue\":\"wake\"}"))),
    (name = "DATABASE_URL", fromEnvironment = "DATABASE_URL"),
    (name = "REDIS_URL", fromEnvironment = "REDIS_URL"),
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
  ],
);

const dashboard :Workerd.Worker = (
  modules = [(name = "dashboard", esModule = embed "dashboard.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
  ],
);

const consume :Workerd.Worker = (
  modules = [(name = "consume", esModule = embed "consume.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
    (name = "ASSAY_CONSUMER_URL", fromEnvironment = "ASSAY_CONSUMER_URL"),
  ],
);

const tick :Workerd.Worker = (
  modules = [(name = "tick", esModule = embed "tick.mjs")],
  compatibilityDate = "2026-07-01",
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
    (name = "ASSAY_MASTER_KEY", fromEnvironment = "ASSAY_MASTER_KEY"),
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "ASSAY_TRUSTED_PROXIES", fromEnvironment = "ASSAY_TRUSTED_PROXIES"),
    (name = "ASSAY_ALLOW_CALLBACK_NETWORKS", fromEnvironment = "ASSAY_ALLOW_CALLBACK_NETWORKS"),
    (name = "ASSAY_LOG_LEVEL", fromEnvironment = "ASSAY_LOG_LEVEL"),
    (name = "ASSAY_METRICS_TOKEN", fromEnvironment = "ASSAY_METRICS_TOKEN"),
  ],
);

const cron :Workerd.Worker = (
  modules = [(name = "cron", bundled = "/workerd/cron.js")],
  compatibilityDate = "2026-07-01",
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
  compatibilityDate = "2026-07-01",
  compatibilityFlags = ["service_binding_extra_handlers", "experimental"],
  durableObjectNamespaces = [(className = "QueueShard", uniqueKey = "assay-queues", enableSql = true)],
  durableObjectStorage = (localDisk = "state"),
  bindings = [
    (name = "SHARD", durableObjectNamespace = "QueueShard"),
    (name = "CONSUMERS", json = "{\"wake\":{\"consumer\":\"consume\",\"maxBatchSize\":100,\"maxBatchTimeout\":0,\"maxConcurrency\":1}}"),
    (name = "consume", service = "consume"),
  ],
);
