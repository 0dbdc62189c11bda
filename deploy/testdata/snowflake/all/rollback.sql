-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- Takes the service analytics.badger.scorer back to the image /analytics/badger/images/badger:1.2.2.
-- All but the image stays as in this version's specification. An image that does not know one of its variables does not start:
-- then run upgrade.sql of the folder that the version before wrote.
USE ROLE badger_owner;
ALTER SERVICE IF EXISTS analytics.badger.scorer FROM SPECIFICATION $$
spec:
  containers:
    - name: badger
      image: /analytics/badger/images/badger:1.2.2
      args:
        - serve
      env:
        BADGER_AUTH_GRPC_MODE: local
        BADGER_AUTH_HTTP_MODE: platform
        BADGER_AUTH_HTTP_PLATFORM: spcs
        BADGER_JUDGE_BACKEND: openai:gpt-4o
        BADGER_JUDGE_BASE_URL: https://models.example.com/v1
        BADGER_JUDGE_CALLER_BUDGET_TOKENS: "500000"
        BADGER_JUDGE_KEY_FILE: /secrets/judge/secret_string
        BADGER_LIMITS_STOP_GRACE: 25s
        BADGER_LISTEN_GRPC: 127.0.0.1:7433
        BADGER_LISTEN_HTTP: 0.0.0.0:8080
        BADGER_REPORT_OFF: "true"
        BADGER_RESULTS_QUERIES: "true"
        BADGER_RESULTS_TABLES: '["gold.*","agents.\"Runs\""]'
        BADGER_RESULTS_WAREHOUSE: snowflake:///analytics/badger?auth=container
        BADGER_TIMEOUTS: '{snowflake: 10m0s}'
        GOMEMLIMIT: "7730941131"
      readinessProbe:
        port: 8080
        path: /readyz
      volumeMounts:
        - name: tmp
          mountPath: /tmp
      secrets:
        - snowflakeSecret:
            objectName: analytics.badger.judge_key
          directoryPath: /secrets/judge
      resources:
        requests:
          cpu: 250m
          memory: 8Gi
        limits:
          cpu: 2
          memory: 8Gi
    - name: public
      image: /analytics/badger/images/badger:1.2.2
      args:
        - serve
      env:
        BADGER_AUTH_GRPC_MODE: local
        BADGER_AUTH_HTTP_DEFAULT_ROLES: '["call","read"]'
        BADGER_AUTH_HTTP_MODE: platform
        BADGER_AUTH_HTTP_PLATFORM: spcs
        BADGER_AUTH_HTTP_ROLES: '{"ANA":["call","label"],"Ben%20Li":["call","label"],"EVA@EXAMPLE.COM":["admin"]}'
        BADGER_JUDGE_BACKEND: openai:gpt-4o
        BADGER_JUDGE_BASE_URL: https://models.example.com/v1
        BADGER_JUDGE_CALLER_BUDGET_TOKENS: "500000"
        BADGER_JUDGE_KEY_FILE: /secrets/judge/secret_string
        BADGER_LIMITS_STOP_GRACE: 25s
        BADGER_LISTEN_GRPC: 127.0.0.1:7435
        BADGER_LISTEN_HTTP: 0.0.0.0:8081
        BADGER_REPORT_LABELS: "true"
        BADGER_REPORT_MASKED: '["email","iban"]'
        BADGER_RESULTS_QUERIES: "true"
        BADGER_RESULTS_TABLES: '["gold.*","agents.\"Runs\""]'
        BADGER_RESULTS_WAREHOUSE: snowflake:///analytics/badger?auth=container
        BADGER_TIMEOUTS: '{snowflake: 10m0s}'
        GOMEMLIMIT: "7730941131"
      readinessProbe:
        port: 8081
        path: /readyz
      volumeMounts:
        - name: tmp
          mountPath: /tmp
      secrets:
        - snowflakeSecret:
            objectName: analytics.badger.judge_key
          directoryPath: /secrets/judge
      resources:
        requests:
          cpu: 250m
          memory: 8Gi
        limits:
          cpu: 2
          memory: 8Gi
  endpoints:
    - name: api
      port: 8080
      public: false
      protocol: HTTP
    - name: ui
      port: 8081
      public: true
      protocol: HTTP
  volumes:
    - name: tmp
      source: local
  logExporters:
    eventTableConfig:
      logLevel: ERROR
serviceRoles:
  - name: caller
    endpoints:
      - api
  - name: viewer
    endpoints:
      - ui
$$;
-- badger install --diff then says that the service differs, which it does.
ALTER SERVICE IF EXISTS analytics.badger.scorer SET COMMENT = 'badger serve, taken back to the image before. [badger-service:back]';
SHOW SERVICE CONTAINERS IN SERVICE analytics.badger.scorer;
