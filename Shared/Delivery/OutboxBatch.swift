import Messaging

/// The result of publishing a batch of rows.
struct OutboxBatch: Sendable {
    /// How many rows there were.
    var count = 0
    /// Rows to be deleted.
    var done: [Int64] = []
    /// Why a row stays; `nil` if none does.
    var failure: (any Error)?
    /// The topics of which rows were published.
    var published: Set<String> = []
    /// The topics of which rows were refused.
    var refused: Set<String> = []
    var hasUnknownTopic = false

    mutating func note(_ error: any Error, of row: OutboxRow) {
        failure = error
        let error = error as? KafkaError
        if error?.isUnknownTopic == true { hasUnknownTopic = true }
        if error?.isOfClient != true { refused.insert(row.topic) }
    }
}
