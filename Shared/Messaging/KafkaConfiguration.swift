import CRdKafka
import Foundation

/// How to reach the brokers, and the settings that everything here shares.
public struct KafkaConfiguration: Sendable {
    /// `host:port`, comma separated.
    public var brokers: String
    public var clientID: String
    /// The largest record sent, in bytes; brokers refuse more than 1 MiB unless told otherwise.
    public var maximumRecordBytes = 1_000_000
    /// How long a record may take until its delivery is reported as failed.
    public var messageTimeout: Duration = .seconds(10)
    /// After this without a sign of life a consumer's partitions go to others; it gives three in that time.
    public var sessionTimeout: Duration = .seconds(6)
    /// How long a consumer waits for its group's assignment before it joins anew; longer each time, at most `maximumPollInterval`.
    public var joinPatience: Duration = .seconds(15)
    /// Whether a consumer that closes leaves its group at once, or its partitions go to others after the session timeout.
    public var leavesGroup = true
    /// How long a handler may take for one record before its consumer is expelled from the group.
    public var maximumPollInterval: Duration = .seconds(300)
    /// Where a group begins in a partition of which it has committed nothing.
    public var offsetReset = OffsetReset.earliest
    /// How brokers are spoken with; in the clear unless told otherwise.
    public var security = KafkaSecurity()
    /// How long a broker holds back an empty answer; latency follows it with brokers that do not answer early.
    public var fetchWait: Duration = .milliseconds(10)
    /// Further librdkafka properties; they go last.
    public var properties: [String: String] = [:]

    public init(brokers: String, clientID: String) {
        self.brokers = brokers
        self.clientID = clientID
    }

    /// At the first record that is there, or behind the last.
    public enum OffsetReset: String, Sendable, CaseIterable { case earliest, latest }

    /// What a client is for.
    enum Role {
        case producer
        case consumer(group: String)
        case admin
    }

    /// The librdkafka properties for a client, in the order in which they are set.
    func properties(for role: Role) -> [(name: String, value: String)] {
        var all = brokers.isEmpty ? [] : [("bootstrap.servers", brokers)]
        all += [
            ("client.id", clientID), ("message.max.bytes", String(maximumRecordBytes)),
            ("socket.keepalive.enable", "true"), ("socket.nagle.disable", "true"), ("log.connection.close", "false"),
            ("socket.connection.setup.timeout.ms", "5000"), ("reconnect.backoff.ms", "50"),
            ("reconnect.backoff.max.ms", "1000"),
            // Topics that appear, or appear again, are noticed within this.
            ("topic.metadata.refresh.interval.ms", "2000"),
        ]
        switch role {
        case .admin: break
        case .producer:
            all += [
                ("acks", "all"), ("enable.idempotence", "true"), ("linger.ms", "0"),
                ("message.timeout.ms", milliseconds(messageTimeout)), ("request.timeout.ms", "5000"),
                ("topic.metadata.propagation.max.ms", "2000"), ("queue.buffering.max.kbytes", "65536"),
                // As Java clients choose partitions.
                ("partitioner", "murmur2_random"),
            ]
        case .consumer(let group):
            all += [
                ("group.id", group), ("enable.auto.offset.store", "false"), ("enable.auto.commit", "true"),
                ("auto.commit.interval.ms", "1000"), ("auto.offset.reset", offsetReset.rawValue),
                ("session.timeout.ms", milliseconds(sessionTimeout)), ("heartbeat.interval.ms", milliseconds(sessionTimeout / 3)),
                ("max.poll.interval.ms", milliseconds(max(maximumPollInterval, sessionTimeout))),
                ("fetch.wait.max.ms", milliseconds(fetchWait)), ("fetch.error.backoff.ms", "100"),
                ("fetch.max.bytes", String(max(8_388_608, maximumRecordBytes))), ("queued.max.messages.kbytes", "8192"),
                ("queued.min.messages", "1000"), ("isolation.level", "read_uncommitted"),
            ]
        }
        return all + security.properties + properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private func milliseconds(_ duration: Duration) -> String { String(duration.milliseconds) }
}

extension Duration {
    /// Whole milliseconds, kept within what C calls take.
    var milliseconds: Int32 {
        let value = (self / .milliseconds(1)).rounded()
        return Int32(exactly: value) ?? (value < 0 ? 0 : .max)
    }
}
