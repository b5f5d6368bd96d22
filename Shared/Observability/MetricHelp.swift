/// What each metric measures, and in which unit: its HELP line in `/metrics`.
///
/// Every metric of the sources has a text here, and each text a metric; `Tests/deploy/check_prometheus.py` compares them.
enum MetricHelp {
    static let texts: [String: String] = [
        // Every service.
        "rial_build_info": "Always 1; the labels have the version and the revision that this process was built from.",
        "rial_circuit_state": "Whether calls to a dependency pass: 0 they do, 1 one trial is made, 2 they do not.",
        "rial_clock_offset_seconds": "Seconds by which the database's clock is ahead of the service's; negative if it is behind.",
        "rial_database_connections_free": "Number of connections that PostgreSQL would still accept.",
        "rial_dependency_up": "Whether the service can use a dependency: 1 it can, 0 it cannot.",
        "rial_metrics_dropped_series": "Number of series that were not kept because there were too many.",
        "rial_spans_dropped_total": "Spans that were not exported, by reason.",
        "rial_spans_exported_total": "Spans that the collector took.",
        "rial_storage_bytes_total": "Bytes of objects sent to the object store and received from it.",

        // Records.
        "rial_dead_letters_total": "Records of a topic that were given up and stored as dead letters.",
        "rial_outbox_dropped_total": "Dead letters that were lost because they are too large for the broker.",
        "rial_outbox_oldest_seconds": "Age in seconds of the oldest event that is not published yet; 0 if there is none.",
        "rial_outbox_pending": "Number of events that are not published yet.",
        "rial_outbox_publish_failures_total": "Attempts to publish events that failed and are repeated.",
        "rial_outbox_published_total": "Events that the broker acknowledged.",
        "rial_record_handling_seconds": "Time in seconds from taking a record to its end, attempts and pauses included.",
        "rial_record_retries_total": "Attempts to handle a record that failed and are repeated.",
        "rial_records_handled_total": "Records of a topic whose handling ended, by outcome.",

        // gateway: requests.
        "rial_bundles_in_progress": "Number of downloads of evidence bundles with media in progress.",
        "rial_event_streams_open": "Number of open streams of events about captures.",
        "rial_http_request_seconds": "Time in seconds from a request's head to its response's head, by route.",
        "rial_http_requests_total": "Requests of the public, by route, method and status.",
        "rial_media_in_progress": "Number of downloads of media in progress.",
        "rial_places_refused_total": "Requests refused because too many of their kind were in progress, by kind and limit.",
        "rial_rate_limited_total": "Requests refused because their sender made too many, by limit.",
        "rial_transfers_cut_total": "Transfers that the gateway ended, by reason.",
        "rial_waiters": "Number of requests that wait for news of a capture or a registration.",

        // gateway: captures and uploads.
        "rial_captures_accepted_total": "Captures that were received and recorded.",
        "rial_captures_withdrawn_total": "Captures that their owners withdrew.",
        "rial_recordings_in_doubt_total": "Recordings of a capture that ended in an error and had to be looked up, by outcome.",
        "rial_resumable_upload_bytes": "Bytes stored of open resumable uploads, of all gateways together.",
        "rial_resumable_uploads_open": "Number of open resumable uploads, of all gateways together.",
        "rial_uploads_expired_total": "Resumable uploads that nobody completed in time.",
        "rial_uploads_in_progress": "Number of uploads in progress.",
        "rial_uploads_refused_total": "Requests about resumable uploads that were refused, by error code.",
        "rial_uploads_resumed_total": "Requests that continued a resumable upload.",

        // gateway: verification.
        "rial_inspections_failed_total": "Files that the inspector could not read, by reason.",
        "rial_inspector_up": "Whether the gateway can read untrusted files: 1 it can, 0 it cannot.",
        "rial_scratch_bytes": "Bytes of files that are being verified, and of media that become part of bundles.",
        "rial_scratch_refused_total": "Files refused because those in progress filled the space for them.",
        "rial_verification_files": "Number of files that are received, verified or wait for it.",
        "rial_verifications_in_progress": "Number of files whose verification is in progress.",
        "rial_verifications_total": "Verifications of files and digests, by method and verdict.",

        // attestation-verifier.
        "rial_admin_requests_refused_total": "Requests of operators that were refused, by reason.",
        "rial_assertions_not_accepted_total": "Captures whose assertion was not accepted, by reason.",
        "rial_assertions_total": "Captures whose assertion was appraised, by status.",
        "rial_chain_seconds": "Time in seconds that checking a video's hash chain takes.",
        "rial_device_changes_total": "Devices that operators revoked or restored, by action.",
        "rial_receipts_total": "Receipts of App Attest that came with registrations, by status.",
        "rial_registrations_total": "Registrations of devices, by outcome.",

        // depth-analyzer.
        "rial_depth_analyses_total": "Analyses of depth, by verdict.",
        "rial_depth_analysis_seconds": "Time in seconds that the analysis of a photo takes.",
        "rial_reassessments_total": "Captures that were assessed again, by outcome.",
        "rial_video_analysis_seconds": "Time in seconds that the analysis of a video takes.",
        "rial_video_decoder_up": "Whether videos can be decoded: 1 they can, 0 they cannot.",
        "rial_video_decoder_pauses_total": "Times that the decoding of videos was paused for a photo, each a quarter of a second at most.",
        "rial_video_decoders_died_total": "Videos that were not decoded, by the end of the decoder: failed is a file that it refused.",
        "rial_video_decoding_seconds": "Time in seconds that decoding a video takes.",

        // evidence-assembler.
        "rial_capture_completion_seconds": "Time in seconds from a capture's receipt to its completion.",
        "rial_captures_completed_total": "Captures whose evidence is complete, by confidence.",
        "rial_captures_failed_total": "Captures that ended as failed, by reason.",
        "rial_captures_unsigned": "Captures whose copies are not signed yet; at most 50 videos and 50 others are counted.",
        "rial_captures_unstated": "Number of captures without a statement for the public log.",
        "rial_claims_unreadable_total": "Captures that claim a file that was looked up, and cannot be read.",
        "rial_credential_digests_failed_total": "Signed copies whose digests could not be recorded later, by reason.",
        "rial_credential_digests_missing": "Number of signed copies whose digests are not recorded.",
        "rial_credentials_waiting": "Signed copies that wait for a time stamp; at most 50 videos and 50 others are counted.",
        "rial_pictures_measured_total": "Pictures whose size was recorded later.",
        "rial_share_card_seconds": "Time in seconds that making a share card takes.",
        "rial_share_cards_failed_total": "Share cards that could not be made.",
        "rial_signing_certificate_days_left": "Days until the signer's certificate expires.",
        "rial_signing_certificate_expires_soon": "Whether the signer's certificate expires soon: 1 it does, 0 it does not.",
        "rial_signing_key_in_file": "Where the signer's key is: 1 in a file, 0 in a token.",
        "rial_signing_seconds": "Time in seconds that signing a copy takes, its time stamp included.",
        "rial_signings_refused_total": "Copies that cannot be signed.",
        "rial_statements_total": "Statements made for the public log, by kind.",
        "rial_timestamps_failed_total": "Copies for which the time-stamp authority gave no time stamp.",

        // upload-sync.
        "rial_captures_announced_again_total": "Captures that were announced again because they did not end in time.",
        "rial_captures_brought_again_total": "Captures whose media were replaced by those of a repeated upload.",
        "rial_captures_processing_oldest_seconds": "Age in seconds of the oldest capture in processing; 0 if there is none.",
        "rial_cleanups_failed_total": "Deletions of objects, and copies of a repeated upload's, that failed and are repeated, by task.",
        "rial_intakes_swept_total": "Abandoned uploads whose objects were deleted.",
        "rial_media_damaged": "Number of stored media that are missing, have other bytes than were accepted, or cannot be read.",
        "rial_media_expired_total": "Failed captures whose media were deleted.",
        "rial_media_scrubbed_bytes_total": "Bytes of stored media that were read again and compared.",
        "rial_media_unscrubbed_seconds": "Time in seconds since the media that were compared longest ago were.",
        "rial_objects_swept_total": "Objects without a row that were deleted.",
        "rial_withdrawals_open": "Number of withdrawn captures whose objects are not all deleted.",
        "rial_withdrawals_open_seconds":
            "Time in seconds since the oldest withdrawal whose objects are not all deleted, or since one came late; 0 if there is none.",
        "rial_withdrawn_objects_deleted_total": "Objects of withdrawn captures that were deleted.",

        // transparency-log.
        "rial_log_checkpoint_age_seconds": "Time in seconds since the last checkpoint was published.",
        "rial_log_frozen": "Whether a shard of the log is frozen and not given up: 1 one is, 0 none is.",
        "rial_log_mended_total": "Parts of the log that were damaged or unreadable and restored from a good copy.",
        "rial_log_pending": "Number of statements that are not entered in the log yet.",
        "rial_log_pending_oldest_seconds": "Age in seconds of the oldest statement that is not entered yet; 0 if there is none.",
        "rial_log_published_size": "Number of entries that the last published checkpoint covers.",
        "rial_log_quorum": "Whether enough witnesses cosigned the last checkpoint: 1 they did, 0 they did not.",
        "rial_log_round_seconds": "Time in seconds that a round of the sequencer takes.",
        "rial_log_scrubbed_entries_total": "Entries of the log that were hashed again and compared.",
        "rial_log_sequencer": "Whether this instance enters statements in the log: 1 it does, 0 it does not.",
        "rial_log_size": "Number of entries in the log.",
        "rial_log_timestamp_age_seconds": "Time in seconds since the last time stamp of a checkpoint, or since the shard was opened.",
        "rial_log_unmended_total": "Parts of the log that are damaged or unreadable and could not be restored.",
        "rial_log_witness_age_seconds": "Time in seconds since a witness cosigned last.",
        "rial_log_witness_failures_total": "Checkpoints that a witness did not cosign, by witness and reason.",

        // The process, as every Prometheus client has it.
        "process_cpu_seconds_total": "Processor time in seconds that the process has used.",
        "process_max_fds": "Number of files that the process may have open.",
        "process_max_resident_memory_bytes": "Most bytes of memory that the process has held at once.",
        "process_open_fds": "Number of files that the process has open.",
        "process_resident_memory_bytes": "Bytes of memory that the process holds.",
        "process_start_time_seconds": "Time at which the process started, in seconds since 1970.",
        "process_virtual_memory_bytes": "Bytes of address space that the process has reserved.",
    ]
}
