import Testing

/// Tests the services together with real PostgreSQL, broker and object store: one stack for all suites.
@Suite(
    "The whole system", .serialized, .enabled(if: LocalStack.isAvailable, "the services or the local stack's tools are not built"),
    .localStack(
        "system",
        [
            "RIAL_LIMIT_CHALLENGES_PER_MINUTE": "0", "RIAL_LIMIT_REGISTRATIONS_PER_MINUTE": "0", "RIAL_LIMIT_CAPTURES_PER_HOUR": "0",
            "RIAL_MAX_UPLOADS_PER_DEVICE": "0", "RIAL_MAX_UPLOADS_PER_ADDRESS": "0", "RIAL_MAX_MEDIA_PER_ADDRESS": "0",
            "RIAL_HTTP_IDLE_TIMEOUT_SECONDS": "4", "RIAL_ANNOUNCE_AGAIN_SECONDS": "2",
        ]))
enum SystemTests {}
