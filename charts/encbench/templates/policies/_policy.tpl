{{/* Names of the admission policies, as a JSON list in "items"; empty where there are none. */}}
{{- define "encbench.policies" -}}
{{- $found := list -}}
{{- if .Values.admissionPolicies.enabled -}}
{{- range list "references" "choices" "records" "pods" -}}
{{- $found = append $found (include "encbench.policyName" (list $ .)) -}}
{{- end -}}
{{- end -}}
{{- dict "items" $found | toJson -}}
{{- end -}}

{{/* Call with (list . "what it holds"). */}}
{{- define "encbench.policyName" -}}
{{- printf "%s-%s" (include "encbench.globalNameWithin" (list (index . 0) 52)) (index . 1) -}}
{{- end -}}

{{/* The operator, as the API server names it. */}}
{{- define "encbench.operator.user" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "encbench.fullname" . }}-operator
{{- end -}}

{{/* The beginning of a policy, and its binding to the watched namespaces, where the spec of the
     policy has to follow. Call with (list . "what it holds"). */}}
{{- define "encbench.policy" -}}
{{- $top := index . 0 -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ include "encbench.policyName" . }}
  labels:
    {{- include "encbench.labels" (list $top "operator") | nindent 4 }}
spec:
  policyName: {{ include "encbench.policyName" . }}
  validationActions: [Deny]
  matchResources:
    namespaceSelector:
      matchExpressions:
        - key: kubernetes.io/metadata.name
          operator: In
          values: {{ (include "encbench.namespaces" $top | fromJson).items | toJson }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ include "encbench.policyName" . }}
  labels:
    {{- include "encbench.labels" (list $top "operator") | nindent 4 }}
{{- end -}}
