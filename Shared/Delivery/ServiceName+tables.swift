public import Models

extension ServiceName {
    public var outboxTable: String { tablePrefix + "_outbox" }
    public var inboxTable: String { tablePrefix + "_inbox" }
    /// Only for services that handle records: the gateway reads only their keys.
    var inHandTable: String { tablePrefix + "_in_hand" }
}
