-- Why: the gateway hands out evidence bundles (SPEC §14), and an owner's holds what the hardware signed and the attestation of its key.

GRANT SELECT (attestation_object, client_data_hash) ON devices TO rial_gateway;
