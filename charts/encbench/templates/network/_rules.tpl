{{/*
Parts of NetworkPolicies. Ports are those of pods, because a policy sees a packet after the Service's
address was replaced. docs/security.md has the table of all connections.
*/}}

{{/* A policy's beginning for pods of the release, up to its rules. Without rules it denies all.
     Call with (list . component). */}}
{{- define "encbench.network.own" -}}
{{- $top := index . 0 -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "encbench.fullname" $top }}-{{ index . 1 }}
  namespace: {{ $top.Release.Namespace | quote }}
  labels:
    {{- include "encbench.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "encbench.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
{{- end -}}

{{/* The same for pods that the operator makes. Call with (list . namespace policy components). */}}
{{- define "encbench.network.made" -}}
{{- $top := index . 0 -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "encbench.globalNameWithin" (list $top 52) }}-{{ index . 2 }}
  namespace: {{ index . 1 | quote }}
  labels:
    {{- include "encbench.labels" (list $top "operator") | nindent 4 }}
spec:
  podSelector:
    {{- include "encbench.network.components" (index . 3) | nindent 4 }}
  policyTypes: [Ingress, Egress]
{{- end -}}

{{/* A selector of pods that the operator makes. Call with a list of components. */}}
{{- define "encbench.network.components" -}}
matchLabels:
  app.kubernetes.io/managed-by: encbench
matchExpressions:
  - {key: app.kubernetes.io/component, operator: In, values: {{ toJson . }}}
{{- end -}}

{{/* A peer: pods of the release. Call with (list . component). */}}
{{- define "encbench.network.ownPeer" -}}
- namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: {{ (index . 0).Release.Namespace | quote }}
  podSelector:
    matchLabels:
      {{- include "encbench.selector" . | nindent 6 }}
{{- end -}}

{{/* A peer: pods that the operator makes, in any namespace that it watches. Call with
     (list . components). */}}
{{- define "encbench.network.madePeer" -}}
- namespaceSelector:
    matchExpressions:
      - key: kubernetes.io/metadata.name
        operator: In
        values: {{ (include "encbench.namespaces" (index . 0) | fromJson).items | toJson }}
  podSelector:
    {{- include "encbench.network.components" (index . 1) | nindent 4 }}
{{- end -}}

{{/* Ports, over TCP. Call with a list. */}}
{{- define "encbench.network.ports" -}}
ports:
  {{- range . }}
  - {protocol: TCP, port: {{ . }}}
  {{- end }}
{{- end -}}

{{/* Ingress of the kubelet, for network plugins that do not exempt it. Call with (list . ports). */}}
{{- define "encbench.network.probes" -}}
{{- with (index . 0).Values.networkPolicy.nodes }}

- from:
    {{- range . }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
  {{- include "encbench.network.ports" (index $ 1) | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Egress to ports of addresses, of any address where there are none. Call with
     (list cidrs ports). */}}
{{- define "encbench.network.outside" -}}
-
{{- with index . 0 }}
  to:
    {{- range . }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
{{- end }}
  {{- include "encbench.network.ports" (index . 1) | nindent 2 }}
{{- end -}}

{{- define "encbench.network.dns" -}}
- to:
    {{- toYaml .Values.networkPolicy.dns.peers | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - {protocol: UDP, port: {{ . }}}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end -}}

{{- define "encbench.network.apiServer" -}}
{{- with .Values.networkPolicy.apiServer }}
{{- include "encbench.network.outside" (list .cidrs .ports) }}
{{- end }}
{{- end -}}

{{/* Egress to a service that is not the chart's. Call with (list its-settings url). */}}
{{- define "encbench.network.service" -}}
{{- $set := index . 0 -}}
{{- $url := urlParse (index . 1) -}}
{{- $usual := eq $url.scheme "https" | ternary "443" "80" -}}
{{- $named := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- include "encbench.network.outside" (list $set.cidrs ($set.ports | default (list ($named | default $usual)))) }}
{{- end -}}

{{/* Egress to the object store. Call with (list . url). */}}
{{- define "encbench.network.store" -}}
{{- $top := index . 0 -}}
{{- if $top.Values.minio.enabled -}}
- to:
    {{- include "encbench.network.ownPeer" (list $top "minio") | nindent 4 }}
  {{- include "encbench.network.ports" (list 9000) | nindent 2 }}
{{- else }}
{{- include "encbench.network.service" (list $top.Values.networkPolicy.objectStore (index . 1)) }}
{{- end }}
{{- end -}}

{{/* Egress to the metrics source. */}}
{{- define "encbench.network.metrics" -}}
{{- if .Values.prometheus.enabled -}}
- to:
    {{- include "encbench.network.ownPeer" (list . "prometheus") | nindent 4 }}
  {{- include "encbench.network.ports" (list 9090) | nindent 2 }}
{{- else }}
{{- include "encbench.network.service" (list .Values.networkPolicy.prometheus .Values.prometheus.external.url) }}
{{- end }}
{{- end -}}

{{/* Ingress of the bundled Prometheus and of others that scrape. Call with (list . port). */}}
{{- define "encbench.network.scraped" -}}
{{- $top := index . 0 -}}
{{- $others := $top.Values.networkPolicy.prometheus.scrapers -}}
{{- if or $top.Values.prometheus.enabled $others -}}
- from:
    {{- if $top.Values.prometheus.enabled }}
    {{- include "encbench.network.ownPeer" (list $top "prometheus") | nindent 4 }}
    {{- end }}
    {{- with $others }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- include "encbench.network.ports" (list (index . 1)) | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Ingress to agents or recorders. Call with (list . "port of metrics" "port of control"). */}}
{{- define "encbench.network.sidecar" -}}
{{- $top := index . 0 -}}
- from:
    {{- include "encbench.network.ownPeer" (list $top "operator") | nindent 4 }}
  {{- include "encbench.network.ports" (list (index . 2)) | nindent 2 }}
{{ include "encbench.network.scraped" (list $top (index . 1)) }}
{{- include "encbench.network.probes" (list $top (list (index . 1))) -}}
{{- end -}}
