/// The rights of each service's role on each table; everything else is denied. `*` is every column; table-wide rights cover every column.
enum RoleMatrix {
    /// Role, without `rial_`; then per table the rights S, I, U, D, each with its columns if they are not all.
    static let rights: [String: [String: [String]]] = [
        "gateway": [
            "challenges": [
                "S", "I challenge expires_at", "U announced_at body_sha256 consumed_at registration_id submission", "D",
            ],
            "devices": [
                "S app_id attestation_failure attestation_level attestation_object client_data_hash environment has_lidar id "
                    + "is_development_root model os_version platform public_key registered_at request_key request_key_algorithm revoked_at"
            ],
            "registrations": ["S"],
            "captures": [
                "S",
                "I announcement assertion_sha256 capture_mode captured_at captured_precision depth_sha256 detection device_id id location "
                    + "media_sha256 metadata_flags short_id type uploaded_at",
            ],
            "intakes": ["S", "I", "U abandoned_at brings created_at", "D"],
            "evidence_parts": ["S"], "media_objects": ["S"], "content_credentials": ["S"], "statements": ["S"],
            "log_shards": ["S"], "log_entries": ["S"], "log_checkpoints": ["S"], "log_cosignatures": ["S"], "log_pending": ["S commitment"],
            "rate_limits": ["S", "I", "U", "D"], "verification_logs": ["S", "I", "D"],
            "uploads": [
                "S",
                "I body_sha256 content_type device_id epoch expires_at id interop_version length_bytes runner running_since token_sha256 type",
                "U answer capture_id emptied_at epoch expires_at interop_version offset_bytes received_at runner running_since state token_sha256",
                "D",
            ],
            "upload_segments": ["S", "I object_key size_bytes start_bytes upload_id", "D"],
        ],
        "attestation_verifier": [
            "challenges": ["S registration_id submission"],
            "devices": [
                "S",
                "I app_id attestation_failure attestation_level attestation_object bundle_version certificate_chain client_data_hash environment "
                    + "has_lidar id is_development_root key_id model os_version platform public_key receipt receipt_status registered_at request_key "
                    + "request_key_algorithm validation_category",
                "U revoked_at",
            ],
            "device_events": ["S", "I"],
            "registrations": ["S", "I", "U attestation_failure device_id outcome"],
            "assertion_counters": ["S", "I"], "captures": ["S"],
            "attestation_appraisals": ["S", "I", "U appraised_at failure result"],
        ],
        "depth_analyzer": [
            "captures": ["S"], "depth_analyses": ["S", "I", "U analyzed_at failure result"],
            "reassessments": ["S", "U depth outcome settled_at taken_at"],
        ],
        "upload_sync": [
            "captures": ["S"], "devices": ["S attestation_level id"], "sync_jobs": ["S", "I", "U"], "media_objects": ["S"],
            "intakes": ["S", "U abandoned_at", "D"], "media_damage": ["S", "I", "U"],
            "withdrawals": [
                "S capture_id erase_next_at erased_at found_at opened_at upload_ids withdrawn_at", "U erase_next_at erased_at found_at",
            ],
        ],
        "evidence_assembler": [
            "captures": ["S", "U completed_at confidence_level evidence failure stated_at status"],
            "device_events": ["S action at device_id id since"],
            "log_entries": ["S commitment leaf_index origin"], "log_shards": ["S origin published_size"],
            "statements": [
                "S", "I capture_id commitment evidence kind not_before raw raw_salt salt sequence statement subject time",
                "U leaf_index origin",
            ],
            "attestation_appraisals": ["S"], "depth_analyses": ["S"], "sync_jobs": ["S"],
            "evidence_parts": ["S", "I", "U outcome reason received_at result"],
            "media_objects": ["S", "I", "U height object_key sha256 size_bytes width"], "reassessments": ["S", "U outcome settled_at"],
            "content_credentials": ["S", "I", "U leaf_sha256 manifest_sha256"],
        ],
        "transparency_log": [
            "statements": ["S capture_id commitment kind leaf_index not_before sequence subject time"],
            "log_shards": [
                "S",
                "U closed_at end_index frozen_at frozen_detail frozen_reason published_size root scrubbed_at scrubbed_blocks size swept_size",
            ],
            "log_pending": ["S", "I", "D"], "log_entries": ["S", "I"],
            "log_checkpoints": ["S", "I body origin root size", "U note published_at token token_at"],
            "log_cosignatures": ["S", "I cosigned_at key_id line origin size witness", "U renewed_at renewed_line"],
        ],
    ]

    /// The rights including those on the tables that every service has.
    static func rights(of role: String) -> [String: [String]] {
        var all = rights[role] ?? [:]
        all["\(role)_outbox"] = ["S", "I", "U", "D"]
        all["\(role)_inbox"] = ["S", "I", "D"]
        all["\(role)_heartbeat"] = ["U beaten_at"]
        if role != "gateway" { all["\(role)_in_hand"] = ["S", "I", "U", "D"] }
        return all
    }
}
