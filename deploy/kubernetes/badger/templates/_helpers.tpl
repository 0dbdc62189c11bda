{{/* The name of the chart, as the label app.kubernetes.io/name has it. */}}
{{- define "badger.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/* The name of the objects. Room is left for -metrics and the like. */}}
{{- define "badger.fullname" -}}
{{- $name := include "badger.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* By these labels pods are selected. They must not change in an upgrade. */}}
{{- define "badger.selector" -}}
app.kubernetes.io/name: {{ include "badger.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* The labels of every object. */}}
{{- define "badger.labels" -}}
{{ include "badger.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: badger
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "badger.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "badger.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "badger.image" -}}
{{- $i := .Values.image }}
{{- if $i.digest }}
{{- printf "%s@%s" $i.repository $i.digest }}
{{- else }}
{{- printf "%s:%s" $i.repository (default .Chart.AppVersion $i.tag) }}
{{- end }}
{{- end }}

{{/* The Secret of the server's certificate; empty without TLS. */}}
{{- define "badger.tlsSecret" -}}
{{- if .Values.tls.certManager.enabled }}
{{- printf "%s-tls" (include "badger.fullname" .) }}
{{- else }}
{{- .Values.tls.existingSecret }}
{{- end }}
{{- end }}

{{/* Whether the HTTP port demands client certificates, which the kubelet has none of. */}}
{{- define "badger.clientCertificates" -}}
{{- $c := .Values.config }}
{{- if or (dig "tls" "client_ca" "" $c) (dig "auth" "client_ca" "" $c) (dig "auth" "http" "client_ca" "" $c) }}yes{{ end }}
{{- end }}

{{/* What would run and not work ends the installation, with what to do. */}}
{{- define "badger.check" -}}
{{- $v := .Values }}
{{- if not (regexMatch "^[a-z]" (include "badger.fullname" .)) }}
{{- fail (printf "%s: a Service's name begins with a letter: choose another release, or fullnameOverride" (include "badger.fullname" .)) }}
{{- end }}
{{- $tls := list }}
{{- if $v.tls.existingSecret }}{{ $tls = append $tls "tls.existingSecret" }}{{ end }}
{{- if $v.tls.certManager.enabled }}{{ $tls = append $tls "tls.certManager.enabled" }}{{ end }}
{{- if $v.tls.plaintext }}{{ $tls = append $tls "tls.plaintext" }}{{ end }}
{{- if ne (len $tls) 1 }}
{{- fail "expected one of tls.existingSecret, tls.certManager.enabled and tls.plaintext" }}
{{- end }}
{{- if and $v.tls.certManager.enabled (not $v.tls.certManager.issuerRef) }}
{{- fail "tls.certManager.issuerRef: expected who issues the certificate, such as {name: internal, kind: ClusterIssuer}" }}
{{- end }}
{{- if and $v.tls.plaintext (include "badger.clientCertificates" .) }}
{{- fail "config: client_ca demands client certificates, which need TLS: expected tls.existingSecret or tls.certManager.enabled" }}
{{- end }}
{{- $ports := list (int $v.service.httpPort) (int $v.service.grpcPort) }}
{{- if ne (len ($ports | uniq)) 2 }}
{{- fail "service.httpPort and service.grpcPort are the same, expected two ports" }}
{{- end }}
{{- if and $v.ingress.enabled (not $v.ingress.hosts) }}
{{- fail "ingress.hosts: expected at least one name" }}
{{- end }}
{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) }}
{{- fail "httpRoute.parentRefs: expected the gateways that the route belongs to" }}
{{- end }}
{{- if and $v.report.enabled (not (dig "results" "warehouse" "" $v.config)) (not $v.extraEnv) (not $v.extraEnvFrom) }}
{{- fail "report.enabled needs config.results.warehouse, whose runs the report shows" }}
{{- end }}
{{- $judge := dig "judge" "backend" "none" $v.config | default "none" }}
{{- $judged := or (ne $judge "none") (dig "judge" "metrics" "" $v.config) }}
{{- $warehouse := dig "results" "warehouse" "" $v.config }}
{{- $shared := and $warehouse (not (hasPrefix "duckdb:" $warehouse)) (has (dig "judge" "ledger" "warehouse" $v.config) (list "" "warehouse")) }}
{{- $servers := ternary $v.autoscaling.maxReplicas $v.replicas $v.autoscaling.enabled | int }}
{{- if and (gt $servers 1) $judged (not $shared) (not $v.extraEnv) (not $v.extraEnvFrom) }}
{{- fail "config.judge: several servers share replies and batches through config.results.warehouse, and not through a DuckDB file or another judge.ledger: expected a warehouse, or replicas: 1" }}
{{- end }}
{{- if and $v.config.report (not $v.report.enabled) }}
{{- fail "config.report is of no use without report.enabled" }}
{{- end }}
{{- if and $v.metrics.serviceMonitor.enabled (not $v.metrics.enabled) }}
{{- fail "metrics.serviceMonitor.enabled needs metrics.enabled" }}
{{- end }}
{{- if and $v.run.enabled (not $v.run.source) }}
{{- fail "run.source: expected the URL of the warehouse, such as postgres://badger@db.example.com/analytics" }}
{{- end }}
{{- if and $v.autoscaling.enabled (lt (int $v.autoscaling.maxReplicas) (int $v.autoscaling.minReplicas)) }}
{{- fail "autoscaling.maxReplicas is below autoscaling.minReplicas" }}
{{- end }}
{{- if and $v.autoscaling.enabled (not $v.autoscaling.targetCPUUtilizationPercentage) (not $v.autoscaling.metrics) }}
{{- fail "autoscaling: expected targetCPUUtilizationPercentage or metrics" }}
{{- end }}
{{- if and $v.networkPolicy.cilium.enabled (not $v.networkPolicy.enabled) }}
{{- fail "networkPolicy.cilium.enabled needs networkPolicy.enabled, which forbids the rest" }}
{{- end }}
{{- $needed := regexFindAll "/etc/badger/secrets/[^/?&[:space:]]+" (printf "%s %s" (include "badger.config" .) $v.run.source) -1 | uniq }}
{{- range $path := $needed }}
{{- $name := base $path }}
{{- if not (hasKey ($v.secretFiles | default dict) $name) }}
{{- fail (printf "secretFiles.%s: the configuration names %s/, expected the name of a Secret" $name $path) }}
{{- end }}
{{- end }}
{{- end }}

{{/* The configuration file: the values, and what follows from the rest of them. */}}
{{- define "badger.config" -}}
{{- $c := deepCopy .Values.config }}
{{- if not $c.auth }}{{ $_ := set $c "auth" (dict "mode" "token" "token_file" "/etc/badger/secrets/tokens/tokens") }}{{ end }}
{{- $listen := dict "http" "0.0.0.0:7434" "grpc" "0.0.0.0:7433" }}
{{- if .Values.tls.plaintext }}{{ $_ := set $listen "allow_plaintext" true }}{{ end }}
{{- if .Values.metrics.enabled }}
{{- $_ := set $listen "metrics" (printf "0.0.0.0:%d" (int .Values.metrics.port)) }}
{{- $_ := set $listen "allow_open_metrics" true }}
{{- end }}
{{- $report := dict "off" true }}
{{- if .Values.report.enabled }}{{ $report = dict "prefix" "/report" }}{{ end }}
{{- $added := dict "listen" $listen "report" $report "limits" (dict "stop_grace" (printf "%ds" (sub (int .Values.terminationGracePeriodSeconds) 5)) "stop_delay" .Values.stopDelay) }}
{{- if include "badger.tlsSecret" . }}
{{- $_ := set $added "tls" (dict "cert" "/etc/badger/tls/tls.crt" "key" "/etc/badger/tls/tls.key") }}
{{- end }}
{{- toYaml (mergeOverwrite $added $c) }}
{{- end }}

{{/* The paths that are passed on from outside, as JSON. The report has its own. */}}
{{- define "badger.paths" -}}
{{- $paths := list "/v1" "/api/v1" "/health" }}
{{- if .Values.report.enabled }}{{ $paths = append $paths (include "badger.reportPath" .) }}{{ end }}
{{- toJson $paths }}
{{- end }}

{{- define "badger.reportPath" -}}
{{- dig "report" "prefix" "/report" .Values.config | default "/" }}
{{- end }}

{{/* What the profile "restricted" of the pod security standards demands of a pod. */}}
{{- define "badger.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* And of a container. */}}
{{- define "badger.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 65532
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* What all pods have. */}}
{{- define "badger.podBasics" -}}
serviceAccountName: {{ include "badger.serviceAccount" . | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "badger.podSecurity" . | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end }}

{{/* The environment. Takes the root and the memory limit. */}}
{{- define "badger.env" -}}
{{- $limit := index . 1 }}
{{- with index . 0 }}
{{- $mib := mul (regexFind "^[0-9]+" $limit | int) (ternary 1024 1 (hasSuffix "Gi" $limit)) -}}
env:
  - name: GOMEMLIMIT
    value: {{ printf "%dMiB" (div (mul $mib (int .Values.goMemLimitPercent)) 100) | quote }}
  - name: HOME
    value: /tmp
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "badger.mounts" -}}
- name: config
  mountPath: /etc/badger/badger.yaml
  subPath: badger.yaml
  readOnly: true
{{- if .Values.files }}
- name: files
  mountPath: /etc/badger/files
  readOnly: true
{{- end }}
{{- if include "badger.tlsSecret" . }}
- name: tls
  mountPath: /etc/badger/tls
  readOnly: true
{{- end }}
{{- range $name, $secret := .Values.secretFiles }}
- name: secret-{{ $name }}
  mountPath: /etc/badger/secrets/{{ $name }}
  readOnly: true
{{- end }}
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "badger.volumes" -}}
- name: config
  configMap:
    name: {{ include "badger.fullname" . | quote }}
{{- if .Values.files }}
- name: files
  configMap:
    name: {{ include "badger.fullname" . }}-files
{{- end }}
{{- with include "badger.tlsSecret" . }}
- name: tls
  secret:
    secretName: {{ . | quote }}
    defaultMode: 0440
{{- end }}
{{- range $name, $secret := .Values.secretFiles }}
- name: secret-{{ $name }}
  secret:
    secretName: {{ $secret | quote }}
    defaultMode: 0440
{{- end }}
- name: tmp
  emptyDir:
    sizeLimit: {{ .Values.tmpSize | quote }}
{{- end }}

{{/* A check of the HTTP port. Takes the root and the path. */}}
{{- define "badger.check.http" -}}
{{- $path := index . 1 }}
{{- with index . 0 }}
{{- if include "badger.clientCertificates" . -}}
tcpSocket:
  port: http
{{- else -}}
httpGet:
  path: {{ $path }}
  port: http
  scheme: {{ ternary "HTTP" "HTTPS" .Values.tls.plaintext }}
{{- end }}
{{- end }}
{{- end }}

{{/* Where pods may connect to: the rules of a NetworkPolicy's egress. */}}
{{- define "badger.egress" -}}
{{- if and .Values.networkPolicy.dns (not .Values.networkPolicy.cilium.enabled) -}}
- to:
    {{- toYaml .Values.networkPolicy.dns | nindent 4 }}
  ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
{{- end }}
{{- range .Values.networkPolicy.egress }}
- to:
    - ipBlock:
        cidr: {{ .cidr | quote }}
        {{- with .except }}
        except:
          {{- toYaml . | nindent 10 }}
        {{- end }}
  ports:
    {{- range .ports }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
{{- end }}
