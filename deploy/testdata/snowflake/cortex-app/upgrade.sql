-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- Upgrades the service provider.scorers.badger in place, to the image /provider/scorers/images/badger:1.2.3.
-- badger install --apply runs the same where the service differs from the values.
-- Functions keep their paths: those of the previous version still work. badger install --apply adds new ones.
USE ROLE badger_owner;

-- A service that is there gets what is outside the specification.
ALTER SERVICE IF EXISTS provider.scorers.badger SET
  MIN_INSTANCES = 1 MAX_INSTANCES = 1 MIN_READY_INSTANCES = 1
  AUTO_SUSPEND_SECS = 0 AUTO_RESUME = TRUE QUERY_WAREHOUSE = badger_wh;

-- No judge outside any more: the service reaches nothing but Snowflake.
ALTER SERVICE IF EXISTS provider.scorers.badger UNSET EXTERNAL_ACCESS_INTEGRATIONS;

-- And the specification. Snowflake replaces the instances one after another; functions keep their paths, and calls that are cut are sent again.
ALTER SERVICE IF EXISTS provider.scorers.badger FROM SPECIFICATION $$
spec:
  containers:
    - name: badger
      image: /provider/scorers/images/badger:1.2.3
      args:
        - serve
      env:
        BADGER_AUTH_GRPC_MODE: local
        BADGER_AUTH_HTTP_MODE: platform
        BADGER_AUTH_HTTP_PLATFORM: spcs
        BADGER_JUDGE_BACKEND: cortex:claude-4-sonnet
        BADGER_JUDGE_CALLER_BUDGET_TOKENS: "2000000"
        BADGER_LIMITS_STOP_GRACE: 25s
        BADGER_LISTEN_GRPC: 127.0.0.1:7433
        BADGER_LISTEN_HTTP: 0.0.0.0:8080
        BADGER_REPORT_OFF: "true"
        BADGER_RESULTS_WAREHOUSE: snowflake:///provider/scorers?auth=container
        BADGER_TIMEOUTS: '{snowflake: 10m0s}'
        GOMEMLIMIT: "966367638"
      readinessProbe:
        port: 8080
        path: /readyz
      volumeMounts:
        - name: tmp
          mountPath: /tmp
      resources:
        requests:
          cpu: 250m
          memory: 1Gi
        limits:
          cpu: 1
          memory: 1Gi
  endpoints:
    - name: api
      port: 8080
      public: false
      protocol: HTTP
  volumes:
    - name: tmp
      source: local
  logExporters:
    eventTableConfig:
      logLevel: NONE
serviceRoles:
  - name: caller
    endpoints:
      - api
$$;

-- The mark by which the service is compared, last.
ALTER SERVICE IF EXISTS provider.scorers.badger SET COMMENT = 'badger serve, which answers badger\'s functions. [badger-service:2a1d838eea8c3f2a]';

-- Until all instances are READY:
SHOW SERVICE CONTAINERS IN SERVICE provider.scorers.badger;
