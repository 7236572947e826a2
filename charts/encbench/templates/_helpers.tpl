{{/* Name of the release's objects, short enough for the longest suffix. A parent chart's alias, which
     is this chart's name then, may have capitals and underscores. */}}
{{- define "encbench.fullname" -}}
{{- $chart := .Chart.Name | lower | replace "_" "-" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains $chart .Release.Name -}}
{{- .Release.Name | replace "." "-" | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $chart | replace "." "-" | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Name of objects outside the release's namespace, where other releases may have objects too. */}}
{{- define "encbench.globalName" -}}
{{- include "encbench.globalNameWithin" (list . 63) -}}
{{- end -}}

{{/* The same with room for what follows it. One that is cut ends with a digest of the whole, because
     the namespaces of two releases may begin alike. Call with (list . length). */}}
{{- define "encbench.globalNameWithin" -}}
{{- $top := index . 0 -}}
{{- $length := index . 1 -}}
{{- $name := printf "%s-%s" (include "encbench.fullname" $top) $top.Release.Namespace -}}
{{- if le (len $name) $length -}}
{{- $name -}}
{{- else -}}
{{- printf "%s-%s" (trunc (sub $length 9 | int) $name | trimSuffix "-") (sha256sum $name | trunc 8) -}}
{{- end -}}
{{- end -}}

{{/* The labels of every object. Call with (list . "component"). */}}
{{- define "encbench.labels" -}}
{{- $top := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $top.Chart.Name $top.Chart.Version | replace "+" "_" | trunc 63 }}
app.kubernetes.io/version: {{ $top.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $top.Release.Service }}
app.kubernetes.io/part-of: encbench
{{ include "encbench.selector" . }}
{{- end -}}

{{/* The labels that select a component's pods. Call with (list . "component"). */}}
{{- define "encbench.selector" -}}
{{- $top := index . 0 -}}
app.kubernetes.io/name: {{ $top.Chart.Name | quote }}
app.kubernetes.io/instance: {{ $top.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Namespaces that the operator watches, as a JSON list in "items". */}}
{{- define "encbench.namespaces" -}}
{{- $own := ternary (list .Release.Namespace) list .Values.watchReleaseNamespace -}}
{{- dict "items" (concat $own (.Values.watchNamespaces | default list) | uniq) | toJson -}}
{{- end -}}

{{/* Namespace of the Leases of nodes. */}}
{{- define "encbench.leaseNamespace" -}}
{{- .Values.leaseNamespace | default .Release.Namespace -}}
{{- end -}}

{{/* Namespaces where Prometheus finds pods: the watched ones, and the node exporters'. */}}
{{- define "encbench.scrapedNamespaces" -}}
{{- dict "items" (concat (list .Release.Namespace) (.Values.watchNamespaces | default list) | uniq) | toJson -}}
{{- end -}}

{{/* A repository, in global.imageRegistry where that is set. Call with (list . repository). */}}
{{- define "encbench.repository" -}}
{{- $registry := (index . 0).Values.global.imageRegistry -}}
{{- $parts := splitList "/" (index . 1) -}}
{{- if not $registry -}}
{{- index . 1 -}}
{{- else if or (eq (first $parts) "localhost") (regexMatch "[.:]" (initial $parts | first | default "")) -}}
{{- printf "%s/%s" $registry (rest $parts | join "/") -}}
{{- else -}}
{{- printf "%s/%s" $registry (index . 1) -}}
{{- end -}}
{{- end -}}

{{/* An image reference; a tag sha256:... is a digest, and none is the chart's appVersion. Call with
     (list . values-of-the-image). */}}
{{- define "encbench.image" -}}
{{- $image := index . 1 -}}
{{- $tag := $image.tag | default (index . 0).Chart.AppVersion -}}
{{- include "encbench.repository" (list (index . 0) $image.repository) }}{{ if hasPrefix "sha256:" $tag }}@{{ else }}:{{ end }}{{ $tag -}}
{{- end -}}

{{/* image and imagePullPolicy of a container. Call with (list . values-of-the-image). */}}
{{- define "encbench.containerImage" -}}
image: {{ include "encbench.image" . | quote }}
imagePullPolicy: {{ (index . 1).pullPolicy }}
{{- end -}}

{{/* Names of Secrets to pull images with, as a JSON list in "items". */}}
{{- define "encbench.pullSecrets" -}}
{{- $names := list -}}
{{- range .Values.global.imagePullSecrets -}}
{{- if kindIs "map" . -}}
{{- $names = append $names .name -}}
{{- else -}}
{{- $names = append $names . -}}
{{- end -}}
{{- end -}}
{{- dict "items" (concat $names (.Values.imagePullSecrets | default list) | uniq) | toJson -}}
{{- end -}}

{{/* Labels of a pod: those of every object, and those of its component's values. Call with
     (list . "component" values-of-the-component). */}}
{{- define "encbench.allLabels" -}}
{{- $own := include "encbench.labels" (list (index . 0) (index . 1)) | fromYaml -}}
{{- merge $own ((index . 2).podLabels | default dict) | toYaml -}}
{{- end -}}

{{/* The same for a template of pods, without the chart's version: each version would replace the pods,
     and Prometheus' samples would go with its own. */}}
{{- define "encbench.podLabels" -}}
{{- omit (include "encbench.allLabels" . | fromYaml) "helm.sh/chart" "app.kubernetes.io/version" | toYaml -}}
{{- end -}}

{{/* Labels and annotations of a pod that is a hook, for whose end Helm waits. A mesh's proxy
     would keep it from ending, so it has none unless the component's values ask for one. The first
     is called with (list . "component" values-of-the-component), the second with these values. */}}
{{- define "encbench.hookLabels" -}}
{{- merge (include "encbench.allLabels" . | fromYaml) (dict "sidecar.istio.io/inject" "false") | toYaml -}}
{{- end -}}

{{- define "encbench.hookAnnotations" -}}
{{- merge dict (.podAnnotations | default dict) (dict "linkerd.io/inject" "disabled") | toYaml -}}
{{- end -}}

{{/* What all pods of the chart have in common. Call with (list . values-of-the-component). */}}
{{- define "encbench.podCommon" -}}
{{- $top := index . 0 -}}
{{- $component := index . 1 -}}
enableServiceLinks: false
{{- with (include "encbench.pullSecrets" $top | fromJson).items }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
nodeSelector:
  {{- merge dict ($component.nodeSelector | default dict) (dict "kubernetes.io/os" "linux") | toYaml | nindent 2 }}
{{- with $component.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $component.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $component.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $component.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
securityContext:
  {{- toYaml $component.podSecurityContext | nindent 2 }}
{{- end -}}

{{/* The object store: bundled or external. A name that is left blank is no name: without a default,
     include would give it as the text `<no value>`. */}}
{{- define "encbench.s3.endpoint" -}}
{{- if .Values.minio.enabled -}}
http://{{ include "encbench.fullname" . }}-minio.{{ .Release.Namespace }}.svc:9000
{{- else -}}
{{- .Values.objectStore.external.endpoint -}}
{{- end -}}
{{- end -}}

{{- define "encbench.s3.bucket" -}}
{{- .Values.minio.enabled | ternary .Values.minio.bucket .Values.objectStore.external.bucket -}}
{{- end -}}

{{- define "encbench.s3.region" -}}
{{- .Values.minio.enabled | ternary "us-east-1" .Values.objectStore.external.region -}}
{{- end -}}

{{/* The operator's credentials, and the analysts', which are optional with a store of one's own. */}}
{{- define "encbench.s3.secret" -}}
{{- .Values.minio.enabled | ternary (include "encbench.minio.secret" (list . "operator")) .Values.objectStore.external.existingSecret | default "" -}}
{{- end -}}

{{- define "encbench.s3.readerSecret" -}}
{{- .Values.minio.enabled | ternary (include "encbench.minio.secret" (list . "analyst")) .Values.objectStore.external.readerSecret | default "" -}}
{{- end -}}

{{/* Secret of a user of the bundled store, and its name where it is not generated. Call with
     (list . user). */}}
{{- define "encbench.minio.secret" -}}
{{- $suffix := eq (index . 1) "root" | ternary "" (printf "-%s" (index . 1)) -}}
{{- include "encbench.minio.existing" . | default (printf "%s-minio%s" (include "encbench.fullname" (index . 0)) $suffix) -}}
{{- end -}}

{{- define "encbench.minio.existing" -}}
{{- $minio := (index . 0).Values.minio -}}
{{- eq (index . 1) "root" | ternary $minio.existingSecret (get (get $minio.users (index . 1) | default dict) "existingSecret") | default "" -}}
{{- end -}}

{{- define "encbench.s3.clientEndpoint" -}}
{{- .Values.minio.enabled | ternary "" .Values.objectStore.external.clientEndpoint | default "" -}}
{{- end -}}

{{- define "encbench.s3.caConfigMap" -}}
{{- .Values.minio.enabled | ternary "" .Values.objectStore.external.caConfigMap | default "" -}}
{{- end -}}

{{/* The metrics source: bundled or external. */}}
{{- define "encbench.prometheus.url" -}}
{{- if .Values.prometheus.enabled -}}
http://{{ include "encbench.fullname" . }}-prometheus.{{ .Release.Namespace }}.svc:9090
{{- else -}}
{{- .Values.prometheus.external.url -}}
{{- end -}}
{{- end -}}

{{/* Bytes of Prometheus' scratch space: twice retentionSize, which leaves out what is written to merge
     blocks, and no less than the newest samples need. Its GB is 1024 MB. */}}
{{- define "encbench.prometheus.scratch" -}}
{{- $units := dict "B" 1 "KB" 1024 "MB" 1048576 "GB" 1073741824 "TB" 1099511627776 -}}
{{- $size := .Values.prometheus.retentionSize -}}
{{- $bytes := mul (regexFind "^[0-9]+" $size) (get $units (regexFind "[A-Z]+$" $size)) -}}
{{- max (mul 2 $bytes) 2147483648 -}}
{{- end -}}

{{- define "encbench.prometheus.caConfigMap" -}}
{{- .Values.prometheus.enabled | ternary "" .Values.prometheus.external.caConfigMap | default "" -}}
{{- end -}}

{{/* Names in a list of environment variables, as a JSON list in "items". */}}
{{- define "encbench.envNames" -}}
{{- $names := list -}}
{{- range . -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- dict "items" $names | toJson -}}
{{- end -}}

{{/* Environment of a container as a list: the chart's variables, but for those that extraEnv has too,
     because server-side apply refuses a name that is there twice; then extraEnv. Call with
     (list values-by-name extraEnv). */}}
{{- define "encbench.env" -}}
{{- $theirs := (include "encbench.envNames" (index . 1) | fromJson).items -}}
{{- $all := list -}}
{{- range $name, $value := index . 0 -}}
{{- if not (has $name $theirs) -}}
{{- $all = append $all (dict "name" $name "value" $value) -}}
{{- end -}}
{{- end -}}
{{- concat $all (index . 1 | default list) | toYaml -}}
{{- end -}}

{{/* Refuse settings that make no sense together, and say what to write. */}}
{{- define "encbench.validate" -}}
{{- if regexMatch "^[0-9]" (include "encbench.fullname" .) -}}
{{- fail (printf "the release's name %s begins with a digit, which names of Services may not: choose another, or set fullnameOverride" .Release.Name) -}}
{{- end -}}
{{- if and (not .Values.watchReleaseNamespace) (not .Values.watchNamespaces) -}}
{{- fail "watchReleaseNamespace is false, so no namespace would be watched: set watchNamespaces" -}}
{{- end -}}
{{- if has .Values.leaseNamespace (list "kube-system" "kube-node-lease") -}}
{{- fail (printf "leaseNamespace %s has Leases of Kubernetes' own, which the operator must not change: name another, such as encbench" .Values.leaseNamespace) -}}
{{- end -}}
{{- if has "POD_NAME" (include "encbench.envNames" .Values.operator.extraEnv | fromJson).items -}}
{{- fail "operator.extraEnv has POD_NAME, by which the operator's pods tell themselves apart: leave it out" -}}
{{- end -}}
{{- range $name := (include "encbench.envNames" .Values.minio.extraEnv | fromJson).items -}}
{{- if has $name (list "MINIO_ROOT_USER_FILE" "MINIO_ROOT_PASSWORD_FILE") -}}
{{- fail (printf "minio.extraEnv has %s, which is the chart's: name root's Secret in minio.existingSecret" $name) -}}
{{- end -}}
{{- end -}}
{{- if not .Values.minio.enabled -}}
{{- $store := .Values.objectStore.external -}}
{{- range $field := list "endpoint" "bucket" -}}
{{- if not (get $store $field) -}}
{{- fail (printf "minio.enabled is false, so results need another store: set objectStore.external.%s" $field) -}}
{{- end -}}
{{- end -}}
{{- else if .Values.objectStore.external.endpoint -}}
{{- fail "objectStore.external.endpoint is set but would not be used: set minio.enabled=false as well" -}}
{{- end -}}
{{- if .Values.minio.enabled -}}
{{- $owners := dict -}}
{{- range $user := list "root" "operator" "analyst" -}}
{{- $secret := include "encbench.minio.secret" (list $ $user) -}}
{{- if hasKey $owners $secret -}}
{{- fail (printf "MinIO's users %s and %s would share Secret %s: give each user a login of its own, in minio.existingSecret and minio.users" (get $owners $secret) $user $secret) -}}
{{- end -}}
{{- $owners = set $owners $secret $user -}}
{{- end -}}
{{- end -}}
{{- if not .Values.prometheus.enabled -}}
{{- if not .Values.prometheus.external.url -}}
{{- fail "prometheus.enabled is false, so CPU figures need another source: set prometheus.external.url" -}}
{{- end -}}
{{- else if .Values.prometheus.external.url -}}
{{- fail "prometheus.external.url is set but would not be used: set prometheus.enabled=false as well" -}}
{{- end -}}
{{- end -}}
