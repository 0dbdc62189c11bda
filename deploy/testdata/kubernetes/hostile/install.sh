#!/bin/sh
# Made by badger v1.2.3 from the values; regenerate it instead of editing it.
# Installs or upgrades badger serve in the cluster that kubectl names. Run it in this folder; nothing in it is secret.
set -eu

# The Secrets that must be there. How to make the first, once:
#   umask 077; printf 'warehouse:%s\n' "$(head -c 32 /dev/urandom | base64 | tr -d '/+=\n')" > tokens
#   kubectl -n 123 create secret generic 1.0 --from-file=tokens && rm tokens
if ! kubectl get namespace 123 >/dev/null 2>&1; then
  kubectl create namespace 123
  kubectl label namespace 123 pod-security.kubernetes.io/enforce=restricted
elif [ -z "$(kubectl get namespace 123 -o 'jsonpath={.metadata.labels.pod-security\.kubernetes\.io/enforce}')" ]; then
  # It may hold pods of others, which the label could keep from starting.
  echo "the namespace 123 enforces no pod security standard; badger's pods need none but restricted:" >&2
  echo "  kubectl label namespace 123 pod-security.kubernetes.io/enforce=restricted" >&2
fi
for secret in 1.0 true null; do
  kubectl -n 123 get secret "$secret" >/dev/null || { echo "the Secret $secret is missing in 123" >&2; exit 1; }
done
echo "The values name a warehouse or a judge, but the NetworkPolicy allows no outbound connections: set deploy.kubernetes.egress or hosts, unless another policy allows it." >&2

# Where Helm may not write to the cluster: helm template null badger -n 123 -f values-badger.yaml | kubectl apply -f -
helm upgrade --install null badger --namespace 123 --values values-badger.yaml --wait --timeout 10m
helm test null --namespace 123
