import CRdKafka
import Foundation
import Logging

/// Owns one `rd_kafka_t`, destroyed when the last reference goes away, on a thread that may block.
///
/// `@unchecked Sendable`: librdkafka's handles are thread-safe; only the owner sets `leavesSilently`, before it drops the client.
final class KafkaClient: @unchecked Sendable {
    /// Fails every record that is queued or in flight; each gets its delivery report.
    static let purgeEverything = RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING

    let handle: OpaquePointer
    let events: KafkaEvents
    /// Destroy without LeaveGroup: the broker is gone, or must not be told.
    var leavesSilently = false

    init(_ configuration: KafkaConfiguration, role: KafkaConfiguration.Role, logger: Logger) throws {
        events = KafkaEvents(logger: logger)
        let conf = rd_kafka_conf_new()
        do {
            for (name, value) in configuration.properties(for: role) { try Self.set(name, value, on: conf) }
        } catch {
            rd_kafka_conf_destroy(conf)
            throw error
        }
        // Released in `deinit`, when no thread of librdkafka is left to call back.
        let opaque = Unmanaged.passRetained(events)
        rd_kafka_conf_set_opaque(conf, opaque.toOpaque())
        rd_kafka_conf_set_log_cb(conf) { handle, level, _, text in KafkaEvents.of(handle)?.log(level: level, text: text) }
        let type: rd_kafka_type_t
        if case .consumer = role { type = RD_KAFKA_CONSUMER } else { type = RD_KAFKA_PRODUCER }
        if case .consumer = role {
            rd_kafka_conf_set_rebalance_cb(conf) { handle, code, partitions, _ in
                KafkaEvents.of(handle)?.rebalance(handle, code, partitions)
            }
            // Without this, librdkafka only logs them.
            rd_kafka_conf_set_error_cb(conf) { handle, code, reason, _ in
                KafkaEvents.of(handle)?.receive(rd_kafka_resp_err_t(rawValue: code), reason: reason, of: handle)
            }
        }
        if case .producer = role {
            rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR)
            // Runs on one of librdkafka's threads, so reports arrive at once, without polling.
            rd_kafka_conf_set_background_event_cb(conf) { handle, event, opaque in
                guard let event else { return }
                if let opaque { Unmanaged<KafkaEvents>.fromOpaque(opaque).takeUnretainedValue().receive(event, of: handle) }
                rd_kafka_event_destroy(event)
            }
        }
        var reason = [CChar](repeating: 0, count: 512)
        guard let handle = rd_kafka_new(type, conf, &reason, reason.count) else {
            // librdkafka takes ownership of `conf` only on success.
            rd_kafka_conf_destroy(conf)
            opaque.release()
            throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, message: text(reason))
        }
        self.handle = handle
        _ = Self.endsBeforeProcess
        switch role {
        case .producer: forwardMainQueueToBackground()
        case .consumer: rd_kafka_poll_set_consumer(handle)
        case .admin: break
        }
    }

    /// Waits at exit for clients that are being destroyed. Otherwise OpenSSL's exit handler frees memory that their threads still use
    /// (measured: a crash in about one of several thousand exits). Registered after librdkafka has initialised OpenSSL, so that it runs
    /// before that handler. A client that is still referenced delays the exit by at most this timeout.
    private static let endsBeforeProcess: Int32 = atexit { _ = rd_kafka_wait_destroyed(2000) }

    /// Whether a fatal error has made the client unusable.
    var isFatal: Bool { rd_kafka_fatal_error(handle, nil, 0) != RD_KAFKA_RESP_ERR_NO_ERROR }

    /// Makes a consumer's poll that blocks return, or else the next one; from any thread, but not once it is being closed.
    func endPoll() {
        guard let queue = rd_kafka_queue_get_consumer(handle) else { return }
        // librdkafka wants the reference back before the consumer is closed.
        defer { rd_kafka_queue_destroy(queue) }
        rd_kafka_queue_yield(queue)
    }

    deinit {
        let address = UInt(bitPattern: handle)
        let flags = leavesSilently ? Int32(RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE) : 0
        DispatchQueue.global().async { [events] in
            rd_kafka_destroy_flags(OpaquePointer(bitPattern: address), flags)
            Unmanaged.passUnretained(events).release()
            events.failAll(KafkaError(RD_KAFKA_RESP_ERR__DESTROY))
        }
    }

    private static func set(_ name: String, _ value: String, on conf: OpaquePointer?) throws {
        var reason = [CChar](repeating: 0, count: 512)
        guard rd_kafka_conf_set(conf, name, value, &reason, reason.count) == RD_KAFKA_CONF_OK else {
            throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, message: text(reason))
        }
    }

    private func forwardMainQueueToBackground() {
        let main = rd_kafka_queue_get_main(handle)
        let background = rd_kafka_queue_get_background(handle)
        rd_kafka_queue_forward(main, background)
        rd_kafka_queue_destroy(main)
        rd_kafka_queue_destroy(background)
    }
}

/// The C string in a buffer, up to its NUL.
func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
