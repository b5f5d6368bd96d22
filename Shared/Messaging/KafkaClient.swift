import CRdKafka
import Foundation
import Logging

/// Owns one `rd_kafka_t`; destroyed with the last reference, on a thread where that may block.
///
/// Unchecked: librdkafka's handles may be used from any thread at once; `leavesSilently` is set by the one owner, before it
/// drops the client.
final class KafkaClient: @unchecked Sendable {
    /// Ends every record that is queued or under way with a report.
    static let purgeEverything = RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING

    let handle: OpaquePointer
    let events: KafkaEvents
    /// Do without leaving the consumer group when destroyed: there is nobody to tell.
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
        // Taken back in `deinit`, once no thread of librdkafka is left to call.
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
                KafkaEvents.of(handle)?.receive(rd_kafka_resp_err_t(rawValue: code), reason: reason)
            }
        }
        if case .producer = role {
            rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR)
            // On a thread of librdkafka: reports arrive at once, without a loop of ours.
            rd_kafka_conf_set_background_event_cb(conf) { handle, event, opaque in
                guard let event else { return }
                if let opaque { Unmanaged<KafkaEvents>.fromOpaque(opaque).takeUnretainedValue().receive(event, of: handle) }
                rd_kafka_event_destroy(event)
            }
        }
        var reason = [CChar](repeating: 0, count: 512)
        guard let handle = rd_kafka_new(type, conf, &reason, reason.count) else {
            // librdkafka took `conf` only if it succeeded.
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

    /// Lets clients that are being destroyed end before the process does: its last act is to clean up OpenSSL, which their threads
    /// would then still use (a crash at exit, measured at one in some thousand runs). Set up behind librdkafka's own use of OpenSSL, so
    /// it comes before that clean-up; a client that somebody still holds delays the end by no more than this.
    private static let endsBeforeProcess: Int32 = atexit { _ = rd_kafka_wait_destroyed(2000) }

    /// After a fatal error the client accepts nothing more.
    var isFatal: Bool { rd_kafka_fatal_error(handle, nil, 0) != RD_KAFKA_RESP_ERR_NO_ERROR }

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

/// The text that C wrote into a buffer, up to its NUL.
func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
