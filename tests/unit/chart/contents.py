"""What a rendered chart gives to Prometheus and to the operator."""

import argparse
from typing import Any

import yaml

from encbench.options import arguments
from tests.support.chart import Rendered


def prometheus_config(rendered: Rendered) -> dict[str, Any]:
    """Prometheus's configuration, parsed."""
    text = rendered.one("ConfigMap", "prometheus")["data"]["prometheus.yml"]
    config: dict[str, Any] = yaml.safe_load(text)
    return config


def operator_arguments(rendered: Rendered) -> argparse.Namespace:
    """The operator's arguments, as it parses them itself."""
    pod = rendered.one("Deployment", "operator")["spec"]["template"]["spec"]
    return arguments().parse_args(pod["containers"][0]["args"])
