"""What is wrong with a certificate by a trusted CA, in words that continue "the certificate"."""

import ssl

_MISNAMED = (62, 64)
"""OpenSSL's X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH."""
_OUT_OF_DATE = (9, 10)
"""X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED."""


def misnamed(detail: str) -> str:
    """It is for other names."""
    return f"is not for this address: {detail.rstrip('.')}; have one issued that names it"


def misfit(error: ssl.SSLCertVerificationError) -> str | None:
    """Its names or its time; None if its CA is not trusted, or for anything else."""
    if error.verify_code in _MISNAMED:
        return misnamed(error.verify_message)
    if error.verify_code in _OUT_OF_DATE:
        detail = error.verify_message
        return f"is out of date: {detail}; renew it, or that of its CA, or correct the clock"
    return None
