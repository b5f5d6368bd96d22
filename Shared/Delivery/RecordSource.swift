public import Messaging

/// A member of a consumer group, for ``ConsumerService``.
public protocol RecordSource: Sendable {
    /// Waits for the next record, without a timeout.
    /// - Returns: `nil` after ``stop()``, or when the task is cancelled.
    func next() async throws -> KafkaRecord?

    /// Stores the offset: the record and all before it in its partition were handled.
    func store(_ record: KafkaRecord) async throws

    /// Makes ``next()`` return `nil` soon. Offsets of returned records can still be stored.
    func stop()

    /// Commits the stored offsets and leaves the group.
    func close() async
}

extension KafkaConsumer: RecordSource {}
