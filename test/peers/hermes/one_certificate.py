"""Hermes makes a client for each call, and each reads all certificates, though the scripted model speaks plain HTTP. One is enough."""

import os

import certifi


def use_one_certificate(folder):
    with open(certifi.where(), encoding="ascii", errors="ignore") as bundle:
        first, end, _ = bundle.read().partition("-----END CERTIFICATE-----")
    path = os.path.join(folder, "one.pem")
    with open(path, "w", encoding="ascii") as file:
        file.write(first + end + "\n")
    os.environ["SSL_CERT_FILE"] = path
