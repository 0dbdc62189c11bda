#!/bin/sh
# Made by badger v1.2.3 from the values; regenerate it instead of editing it.
# Installs or upgrades badger serve in the cluster that kubectl names. Run it in this folder; nothing in it is secret.
set -eu

# The Secrets that must be there. How to make the first, once:
#   umask 077; printf 'warehouse:%s\n' "$(head -c 32 /dev/urandom | base64 | tr -d '/+=\n')" > tokens
#   kubectl -n badger create secret generic badger-tokens --from-file=tokens && rm tokens
if ! kubectl get namespace badger >/dev/null 2>&1; then
  kubectl create namespace badger
  kubectl label namespace badger pod-security.kubernetes.io/enforce=restricted
elif [ -z "$(kubectl get namespace badger -o 'jsonpath={.metadata.labels.pod-security\.kubernetes\.io/enforce}')" ]; then
  # It may hold pods of others, which the label could keep from starting.
  echo "the namespace badger enforces no pod security standard; badger's pods need none but restricted:" >&2
  echo "  kubectl label namespace badger pod-security.kubernetes.io/enforce=restricted" >&2
fi
for secret in badger-tokens badger-tls; do
  kubectl -n badger get secret "$secret" >/dev/null || { echo "the Secret $secret is missing in badger" >&2; exit 1; }
done

# Where Helm may not write to the cluster: helm template badger badger -n badger -f values-badger.yaml | kubectl apply -f -
helm upgrade --install badger badger --namespace badger --values values-badger.yaml --wait --timeout 10m
helm test badger --namespace badger
