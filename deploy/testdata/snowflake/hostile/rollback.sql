-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- Takes the service null_.scorers.on1 back to the image /null_/scorers/images/n0:1e2.
-- All but the image stays as in this version's specification. An image that does not know one of its variables does not start:
-- then run upgrade.sql of the folder that the version before wrote.
USE ROLE "o""wner; DROP TABLE x --";
ALTER SERVICE IF EXISTS null_.scorers.on1 FROM SPECIFICATION $$
spec:
  containers:
    - name: badger
      image: /null_/scorers/images/n0:1e2
      args:
        - serve
      env:
        BADGER_AUTH_GRPC_MODE: local
        BADGER_AUTH_HTTP_MODE: platform
        BADGER_AUTH_HTTP_PLATFORM: spcs
        BADGER_JUDGE_BACKEND: 'anthropic:m: "x" # {{y}} %s'
        BADGER_JUDGE_BASE_URL: https://Models.Example.com:8443/v1/%7B
        BADGER_JUDGE_CALLER_BUDGET_TOKENS: "3000"
        BADGER_JUDGE_KEY_FILE: /secrets/judge/secret_string
        BADGER_JUDGES: /judges/0x1F.star,/judges/no
        BADGER_LIMITS_STOP_GRACE: 25s
        BADGER_LISTEN_GRPC: 127.0.0.1:7433
        BADGER_LISTEN_HTTP: 0.0.0.0:8080
        BADGER_REPORT_OFF: "true"
        BADGER_RESULTS_WAREHOUSE: snowflake:///null_/scorers?auth=container
        BADGER_TIMEOUTS: '{snowflake: 10m0s}'
        GOMEMLIMIT: "483183819"
      readinessProbe:
        port: 8080
        path: /readyz
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        - name: judges
          mountPath: /judges
      secrets:
        - snowflakeSecret:
            objectName: null_.scorers.nil_
          directoryPath: /secrets/judge
      resources:
        requests:
          cpu: 0.2
          memory: 512Mi
        limits:
          cpu: 0.2
          memory: 512Mi
    - name: public
      image: /null_/scorers/images/n0:1e2
      args:
        - serve
      env:
        BADGER_AUTH_GRPC_MODE: local
        BADGER_AUTH_HTTP_MODE: platform
        BADGER_AUTH_HTTP_PLATFORM: spcs
        BADGER_AUTH_HTTP_ROLES: '{"%C3%B6":["call","read"],"no":["call","read"],"x%22y:%20{z}%20#":["call","read"]}'
        BADGER_JUDGE_BACKEND: 'anthropic:m: "x" # {{y}} %s'
        BADGER_JUDGE_BASE_URL: https://Models.Example.com:8443/v1/%7B
        BADGER_JUDGE_CALLER_BUDGET_TOKENS: "3000"
        BADGER_JUDGE_KEY_FILE: /secrets/judge/secret_string
        BADGER_JUDGES: /judges/0x1F.star,/judges/no
        BADGER_LIMITS_STOP_GRACE: 25s
        BADGER_LISTEN_GRPC: 127.0.0.1:7435
        BADGER_LISTEN_HTTP: 0.0.0.0:8081
        BADGER_REPORT_MASKED: '["a, b","null","q: ''[\"#"]'
        BADGER_RESULTS_WAREHOUSE: snowflake:///null_/scorers?auth=container
        BADGER_TIMEOUTS: '{snowflake: 10m0s}'
        GOMEMLIMIT: "483183819"
      readinessProbe:
        port: 8081
        path: /readyz
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        - name: judges
          mountPath: /judges
      secrets:
        - snowflakeSecret:
            objectName: null_.scorers.nil_
          directoryPath: /secrets/judge
      resources:
        requests:
          cpu: 0.2
          memory: 512Mi
        limits:
          cpu: 0.2
          memory: 512Mi
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
    - name: judges
      source: '@null_.scorers.judges'
      uid: 65532
      gid: 65532
  logExporters:
    eventTableConfig:
      logLevel: INFO
serviceRoles:
  - name: caller
    endpoints:
      - api
  - name: viewer
    endpoints:
      - ui
$$;
-- badger install --diff then says that the service differs, which it does.
ALTER SERVICE IF EXISTS null_.scorers.on1 SET COMMENT = 'badger serve, taken back to the image before. [badger-service:back]';
SHOW SERVICE CONTAINERS IN SERVICE null_.scorers.on1;
