public import Messaging

/// A member of a consumer group, as ``ConsumerService`` uses it.
public protocol RecordSource: Sendable {
    /// Waits for the next record, however long it takes.
    /// - Returns: `nil` after ``stop()``, or when the task is cancelled.
    func next() async throws -> KafkaRecord?

    /// Notes that the record, and all before it in its partition, were handled.
    func store(_ record: KafkaRecord) async throws

    /// Ends ``next()`` soon. What it has handed out can still be stored.
    func stop()

    /// Commits what was stored and leaves the group.
    func close() async
}

extension KafkaConsumer: RecordSource {}
