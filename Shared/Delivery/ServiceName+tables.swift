public import Models

extension ServiceName {
    public var outboxTable: String { tablePrefix + "_outbox" }
    public var inboxTable: String { tablePrefix + "_inbox" }
    /// Of services that handle records: the gateway only looks at their keys.
    var inHandTable: String { tablePrefix + "_in_hand" }
}
