import HTTPTypes
import Synchronization

/// The paths there are and their methods, to tell a wrong method from an unknown address.
struct RouteTable: Sendable {
    private var entries: [(segments: [Substring], methods: [String])] = []

    mutating func add(_ path: String, _ methods: [String]) {
        entries.append((path[...].split(separator: "/"), methods))
    }

    /// Empty for an unknown address. Segments in braces stand for anything.
    func methods(of path: String) -> [String] {
        let segments = path.split(separator: "/")
        return entries.filter { entry in
            entry.segments.count == segments.count
                && zip(entry.segments, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }.flatMap(\.methods)
    }

    /// A label with few values, whatever clients send.
    static func label(_ method: HTTPRequest.Method) -> String {
        ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"].contains(method.rawValue) ? method.rawValue : "OTHER"
    }
}

/// The table of routes, known once all routes are added; middleware comes first.
final class LateTable: Sendable {
    private let held = Mutex(RouteTable())
    var table: RouteTable { held.withLock { $0 } }
    func set(_ table: RouteTable) { held.withLock { $0 = table } }
}
