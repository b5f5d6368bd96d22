public import Logging

extension Logger {
    /// Writes nothing.
    public static let quiet = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
}
