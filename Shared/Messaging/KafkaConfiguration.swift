import CRdKafka
import Foundation

/// The connection to the brokers and the settings of all clients.
public struct KafkaConfiguration: Sendable {
    /// `host:port`, comma separated.
    public var brokers: String
    public var clientID: String
    /// The largest record sent, in bytes; by default brokers reject more than 1 MiB.
    public var maximumRecordBytes = 1_000_000
    /// The delivery timeout: after this time a record is reported as failed.
    public var messageTimeout: Duration = .seconds(10)
    /// After this time without a heartbeat a consumer's partitions are assigned to other members.
    public var sessionTimeout: Duration = .seconds(6)
    /// How long a consumer waits for its assignment before it rejoins its group; grows each time, up to five minutes.
    public var joinTimeout: Duration = .seconds(15)
    /// Whether a consumer leaves its group when it closes; if not, its partitions are reassigned after the session timeout.
    public var leavesGroup = true
    /// How long a handler may take for one record before the group removes its consumer.
    public var maximumPollInterval: Duration = .seconds(300)
    /// Where a group starts reading a partition without a committed offset.
    public var offsetReset = OffsetReset.earliest
    /// Encryption and login; none by default.
    public var security = KafkaSecurity()
    /// How long a broker may delay an empty response. With brokers that do not respond as soon as a record arrives, this is the latency.
    public var fetchWait: Duration = .milliseconds(10)
    /// Additional librdkafka properties; they override the others.
    public var properties: [String: String] = [:]

    public init(brokers: String, clientID: String) {
        self.brokers = brokers
        self.clientID = clientID
    }

    /// The first record, or the end of the partition.
    public enum OffsetReset: String, Sendable, CaseIterable { case earliest, latest }

    /// The purpose of a client.
    enum Role {
        case producer
        case consumer(group: String)
        case admin
    }

    /// How long the next attempt to join a group may take. Members whose joins failed together should not rejoin at the same time.
    func nextJoinTimeout(after timeout: Duration) -> Duration { min(timeout * Double.random(in: 1...2), .seconds(300)) }

    /// Members learn of a rebalance by their next heartbeat, and records of their partitions wait until all have.
    private var heartbeatInterval: Duration { min(sessionTimeout / 3, .milliseconds(500)) }

    /// The librdkafka properties for a client, in the order in which they are set.
    func properties(for role: Role) -> [(name: String, value: String)] {
        var all = brokers.isEmpty ? [] : [("bootstrap.servers", brokers)]
        all += [
            ("client.id", clientID), ("message.max.bytes", String(maximumRecordBytes)),
            ("socket.keepalive.enable", "true"), ("socket.nagle.disable", "true"), ("log.connection.close", "false"),
            ("socket.connection.setup.timeout.ms", "5000"), ("reconnect.backoff.ms", "50"),
            ("reconnect.backoff.max.ms", "1000"),
            // New topics are discovered within this time.
            ("topic.metadata.refresh.interval.ms", "2000"),
        ]
        switch role {
        case .admin: break
        case .producer:
            all += [
                ("acks", "all"), ("enable.idempotence", "true"), ("linger.ms", "0"),
                ("message.timeout.ms", milliseconds(messageTimeout)), ("request.timeout.ms", "5000"),
                ("topic.metadata.propagation.max.ms", "2000"), ("queue.buffering.max.kbytes", "65536"),
                // Chooses partitions as Java clients do.
                ("partitioner", "murmur2_random"),
            ]
        case .consumer(let group):
            all += [
                ("group.id", group), ("enable.auto.offset.store", "false"), ("enable.auto.commit", "true"),
                ("auto.commit.interval.ms", "1000"), ("auto.offset.reset", offsetReset.rawValue),
                ("session.timeout.ms", milliseconds(sessionTimeout)), ("heartbeat.interval.ms", milliseconds(heartbeatInterval)),
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
    /// Whole milliseconds, clamped to what C calls accept.
    var milliseconds: Int32 {
        let value = (self / .milliseconds(1)).rounded()
        return Int32(exactly: value) ?? (value < 0 ? 0 : .max)
    }
}
