import Messaging
import Models

/// The dead-letter topics, and their records.
struct DeadLetterTopics {
    /// So many records of a topic are shown or sent again; that there are more is said.
    static let limit = 10_000
    /// So many are read to find those that differ: what is sent again may come back each time.
    static let repeatedLimit = 100_000

    private let configuration: KafkaConfiguration

    init(_ configuration: KafkaConfiguration) { self.configuration = configuration }

    static let all: [Topic] = Topic.consumers.flatMap { entry in entry.services.map(entry.topic.deadLetters) }

    /// The dead-letter topics for a name, which may be that of a dead-letter topic or of a topic; all for `nil`.
    /// - Throws: ``CommandFailure`` if there are none.
    static func named(_ name: String?) throws -> [Topic] {
        guard let name else { return all }
        let topics = all.filter { $0.rawValue == name || $0.rawValue.hasPrefix(name + ".") }
        guard !topics.isEmpty else {
            throw CommandFailure("There is no dead-letter topic \(name); there are: \(all.map(\.rawValue).joined(separator: ", ")).")
        }
        return topics
    }

    /// The dead-letter topic for a name.
    /// - Throws: ``CommandFailure`` if there are none or several.
    static func one(_ name: String) throws -> Topic {
        let topics = try named(name)
        guard let topic = topics.first, topics.count == 1 else {
            throw CommandFailure("\(name) has several dead-letter topics: \(topics.map(\.rawValue).joined(separator: ", ")).")
        }
        return topic
    }

    /// - Throws: ``CommandFailure`` if there is no such record.
    func record(at offset: Int64, of partition: Int32, in topic: Topic) async throws -> DeadLetterRecord {
        let record = try await reading { try await $0.record(at: offset, of: partition, in: topic.rawValue, timeout: .seconds(30)) }
        guard let record else { throw CommandFailure("There is no record at offset \(offset) of partition \(partition) of \(topic).") }
        return DeadLetterRecord(record)
    }

    /// - Returns: by partition and offset; empty if the topic does not exist, one more than `limit` if it has more.
    func records(
        of topic: Topic, limit: Int = DeadLetterTopics.limit, timeout: Duration = .seconds(30)
    ) async throws -> [DeadLetterRecord] {
        try await reading { try await $0.read(topic: topic.rawValue, limit: limit + 1, timeout: timeout) }
            .map(DeadLetterRecord.init)
    }

    private func reading<Result>(_ read: (KafkaTopicReader) async throws -> Result) async throws -> Result {
        do {
            return try await read(KafkaTopicReader(configuration))
        } catch let error as KafkaError {
            throw CommandFailure("Kafka at \(configuration.brokers) cannot be read: \(error).")
        }
    }
}
