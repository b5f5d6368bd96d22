import TestSupport
import Testing

/// The kind of store that a suite is run over.
enum StoreKind: String, CustomTestStringConvertible {
    case memory, postgres

    /// PostgreSQL only if it is configured.
    static var available: [StoreKind] { TestSchema.isConfigured ? [.memory, .postgres] : [.memory] }

    var testDescription: String { rawValue }
}
