{{/* Arguments of the operator, and of its check, that say where things are. */}}
{{- define "encbench.operator.args" -}}
{{- range (include "encbench.namespaces" . | fromJson).items }}
- --namespace={{ . }}
{{- end }}
- --release-namespace={{ .Release.Namespace }}
- --lease-namespace={{ include "encbench.leaseNamespace" . }}
- --election={{ include "encbench.fullname" . }}
{{- range (include "encbench.policies" . | fromJson).items }}
- --admission-policy={{ . }}
{{- end }}
- --image={{ include "encbench.image" (list . .Values.image) }}
- --image-pull-policy={{ .Values.image.pullPolicy }}
{{- if .Values.privilegedVolumes.enabled }}
- --volume-image={{ include "encbench.image" (list . .Values.privilegedVolumes.image) }}
- --volume-image-pull-policy={{ .Values.privilegedVolumes.image.pullPolicy }}
{{- end }}
- --proxy-image={{ include "encbench.image" (list . .Values.confidentialProxy.image) }}
- --proxy-image-pull-policy={{ .Values.confidentialProxy.image.pullPolicy }}
- --turnstile-image={{ include "encbench.image" (list . .Values.turnstile.image) }}
- --turnstile-image-pull-policy={{ .Values.turnstile.image.pullPolicy }}
{{- range $engine, $repository := .Values.servers }}
- --server-image={{ $engine }}={{ include "encbench.repository" (list $ $repository) }}
{{- end }}
{{- range $tool, $image := .Values.tools }}
- --tool-image={{ $tool }}={{ include "encbench.image" (list $ $image) }}
{{- end }}
{{- range (include "encbench.pullSecrets" . | fromJson).items }}
- --image-pull-secret={{ . }}
{{- end }}
{{- range $name, $value := .Values.measured.podLabels }}
- {{ printf "--pod-label=%s=%s" $name $value | quote }}
{{- end }}
{{- range $name, $value := .Values.measured.podAnnotations }}
- {{ printf "--pod-annotation=%s=%s" $name $value | replace "$" "$$" | quote }}
{{- end }}
{{- with .Values.measured.priorityClassName }}
- --pod-priority-class={{ . }}
{{- end }}
{{- range .Values.allowed.images }}
- --allowed-image={{ . }}
{{- end }}
{{- if .Values.allowed.digestsOnly }}
- --image-digests-only
{{- end }}
{{- range .Values.allowed.hosts }}
- --allowed-host={{ . }}
{{- end }}
{{- range .Values.allowed.nodeLabels }}
- --allowed-node-label={{ . }}
{{- end }}
{{- range .Values.allowed.taints }}
- --allowed-taint={{ . }}
{{- end }}
{{- range .Values.allowed.storageClasses }}
- --allowed-storage-class={{ . }}
{{- end }}
{{- with .Values.limits.namespaceTrials }}
- --namespace-trials={{ int . }}
{{- end }}
- --s3-endpoint={{ include "encbench.s3.endpoint" . }}
{{- with include "encbench.s3.clientEndpoint" . }}
- --s3-external-endpoint={{ . }}
{{- end }}
- --s3-bucket={{ include "encbench.s3.bucket" . }}
- --s3-region={{ include "encbench.s3.region" . }}
{{- if include "encbench.s3.secret" . }}
- --s3-credentials-dir=/etc/encbench/s3
{{- end }}
{{- if include "encbench.s3.caConfigMap" . }}
- --s3-ca-file=/etc/encbench/s3-ca/ca.crt
{{- end }}
- --prometheus-url={{ include "encbench.prometheus.url" . }}
{{- if include "encbench.prometheus.caConfigMap" . }}
- --prometheus-ca-file=/etc/encbench/prometheus-ca/ca.crt
{{- end }}
- --log-format={{ .Values.operator.logFormat }}
- --log-level={{ .Values.operator.logLevel }}
{{- end -}}

{{/* The operator's values, with pods on nodes of their own where there are several. */}}
{{- define "encbench.operator.values" -}}
{{- $values := deepCopy .Values.operator -}}
{{- if and (gt (include "encbench.operator.pods" . | int) 1) (not $values.affinity) -}}
{{- $selector := dict "matchLabels" (include "encbench.selector" (list . "operator") | fromYaml) -}}
{{- $term := dict "labelSelector" $selector "topologyKey" "kubernetes.io/hostname" -}}
{{- $wish := list (dict "weight" 100 "podAffinityTerm" $term) -}}
{{- $apart := dict "preferredDuringSchedulingIgnoredDuringExecution" $wish -}}
{{- $values = set $values "affinity" (dict "podAntiAffinity" $apart) -}}
{{- end -}}
{{- toYaml $values -}}
{{- end -}}

{{/* How many pods the operator has. */}}
{{- define "encbench.operator.pods" -}}
{{- mul .Values.operator.shards .Values.operator.replicas -}}
{{- end -}}

{{/* Credentials are files of a mounted Secret, never arguments or environment variables. */}}
{{- define "encbench.operator.volumeMounts" -}}
{{- if include "encbench.s3.secret" . }}
- {name: s3-credentials, mountPath: /etc/encbench/s3, readOnly: true}
{{- end }}
{{- if include "encbench.s3.caConfigMap" . }}
- {name: s3-ca, mountPath: /etc/encbench/s3-ca, readOnly: true}
{{- end }}
{{- if include "encbench.prometheus.caConfigMap" . }}
- {name: prometheus-ca, mountPath: /etc/encbench/prometheus-ca, readOnly: true}
{{- end }}
- {name: tmp, mountPath: /tmp}
{{- end -}}

{{- define "encbench.operator.volumes" -}}
{{- with include "encbench.s3.secret" . }}
- name: s3-credentials
  secret:
    # All entries, because a session-token may be there or not.
    secretName: {{ . | quote }}
    defaultMode: 0440
{{- end }}
{{- with include "encbench.s3.caConfigMap" . }}
- name: s3-ca
  configMap:
    name: {{ . | quote }}
    items:
      - {key: ca.crt, path: ca.crt}
{{- end }}
{{- with include "encbench.prometheus.caConfigMap" . }}
- name: prometheus-ca
  configMap:
    name: {{ . | quote }}
    items:
      - {key: ca.crt, path: ca.crt}
{{- end }}
- name: tmp
  emptyDir: {sizeLimit: 256Mi}
{{- end -}}
