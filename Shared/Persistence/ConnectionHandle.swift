import CLibPQ
import Foundation

/// Owns one `PGconn`, which is freed with the last reference.
///
/// Unchecked: only the actor that opened it uses it, one call at a time, as libpq requires.
final class ConnectionHandle: @unchecked Sendable {
    private let connection: OpaquePointer

    private init(_ connection: OpaquePointer) { self.connection = connection }

    deinit { PQfinish(connection) }

    /// Connects. Blocks for at most five seconds per address, unless the URL sets another timeout.
    static func open(url: String, applicationName: String) throws -> ConnectionHandle {
        // libpq's own message would quote the URL, which may hold a password.
        guard isConnectionString(url) else {
            throw PostgresError(code: .connectionFailed, message: "the database URL cannot be read")
        }
        // The URL, passed as `dbname`, overrides the settings before it but not those after it.
        let settings = [
            ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"),
            ("keepalives_interval", "5"), ("keepalives_count", "3"), ("dbname", url),
            ("application_name", applicationName), ("client_encoding", "UTF8"),
        ]
        let names = CStrings(settings.map(\.0))
        let values = CStrings(settings.map(\.1))
        guard let connection = PQconnectdbParams(names.pointers, values.pointers, 1) else {
            throw PostgresError(code: .connectionFailed, message: "out of memory")
        }
        let handle = ConnectionHandle(connection)
        withExtendedLifetime((names, values)) {}
        guard PQstatus(connection) == CONNECTION_OK else { throw handle.lost() }
        // By default libpq prints notices to stderr.
        _ = PQsetNoticeProcessor(connection, { _, _ in }, nil)
        return handle
    }

    private static func isConnectionString(_ text: String) -> Bool {
        guard text.contains("=") || text.contains("://"), !text.utf8.contains(0) else { return false }
        let options = PQconninfoParse(text, nil)
        defer { PQconninfoFree(options) }
        return options != nil
    }

    var isAlive: Bool { PQstatus(connection) == CONNECTION_OK }
    /// Outside any transaction, with no statement running.
    var isIdle: Bool { PQtransactionStatus(connection) == PQTRANS_IDLE }
    /// A statement is running, or not all of its results were read.
    var isBusy: Bool { PQtransactionStatus(connection) == PQTRANS_ACTIVE }
    var isInTransaction: Bool { PQtransactionStatus(connection) == PQTRANS_INTRANS }

    /// Whether the server has kept this idle connection open. On an idle connection the server sends nothing but a final error, so pending
    /// input means that it was closed. Costs one system call.
    var isStillOpen: Bool { isAlive && !waitForInput(milliseconds: 0) }

    /// The error of a connection that no longer works.
    func lost() -> PostgresError {
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        return PostgresError(code: .connectionFailed, message: message.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Runs several statements without parameters.
    func execute(script: String, until deadline: ContinuousClock.Instant?) throws -> ResultHandle {
        guard PQsendQuery(connection, script) == 1 else { throw lost() }
        return try collect(until: deadline)
    }

    func prepare(_ text: String, name: String, types: [Oid], until deadline: ContinuousClock.Instant?) throws -> ResultHandle {
        guard PQsendPrepare(connection, name, text, Int32(clamping: types.count), types) == 1 else { throw lost() }
        return try collect(until: deadline)
    }

    func execute(
        prepared name: String, parameters: [SQL.Parameter], until deadline: ContinuousClock.Instant?
    ) throws -> ResultHandle {
        // One buffer for all values, which libpq copies.
        var buffer: [CChar] = []
        var offsets: [Int?] = []
        for parameter in parameters {
            offsets.append(parameter.bytes.map { _ in buffer.count })
            // One more byte per value, so that an empty value has an address too.
            parameter.bytes.map { buffer += $0.lazy.map(CChar.init(bitPattern:)) + [0] }
        }
        let lengths = parameters.map { Int32(clamping: $0.bytes?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        let isSent = buffer.withUnsafeBufferPointer { bytes in
            let values = offsets.map { offset in offset.flatMap { bytes.baseAddress?.advanced(by: $0) } }
            return PQsendQueryPrepared(connection, name, Int32(clamping: parameters.count), values, lengths, formats, 0)
        }
        guard isSent == 1 else { throw lost() }
        return try collect(until: deadline)
    }

    /// Waits for the last result, or the first that is an error.
    /// - Throws: ``PostgresError`` with `timeout` or `connectionFailed`; the connection can no longer be used.
    private func collect(until deadline: ContinuousClock.Instant?) throws -> ResultHandle {
        var collected: ResultHandle?
        while let result = try nextResult(until: deadline) {
            if result.isCopy { throw PostgresError(code: .query, message: "COPY is not supported", sqlState: "0A000") }
            if collected?.isError != true { collected = result }
        }
        guard let collected else { throw lost() }
        return collected
    }

    private func nextResult(until deadline: ContinuousClock.Instant?) throws -> ResultHandle? {
        while PQisBusy(connection) == 1 {
            let remaining = deadline.map { Int((ContinuousClock.now.duration(to: $0) / .milliseconds(1)).rounded(.up)) }
            if let remaining, remaining <= 0 {
                throw PostgresError(code: .timeout, message: "the server did not answer in time")
            }
            _ = waitForInput(milliseconds: min(remaining ?? 60_000, 60_000))
            guard PQconsumeInput(connection) == 1 else { throw lost() }
        }
        return PQgetResult(connection).map(ResultHandle.init)
    }

    /// - Returns: whether the socket has something to read or was closed.
    func waitForInput(milliseconds: Int) -> Bool {
        var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, Int32(clamping: milliseconds)) > 0
    }

    /// The same; the pipe ends the wait as well.
    func waitForInput(milliseconds: Int, or pipe: WakePipe) -> Bool {
        var descriptors = [PQsocket(connection), pipe.reader].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&descriptors, 2, Int32(clamping: milliseconds)) > 0 else { return false }
        if descriptors[1].revents != 0 { pipe.clear() }
        return descriptors[0].revents != 0
    }

    /// The different notifications since the last call.
    /// - Throws: ``PostgresError`` with `connectionFailed`.
    func takeNotifications() throws -> Set<PostgresNotification> {
        guard PQconsumeInput(connection) == 1, isAlive else { throw lost() }
        var taken: Set<PostgresNotification> = []
        while let notification = PQnotifies(connection) {
            defer { PQfreemem(notification) }
            taken.insert(
                PostgresNotification(
                    channel: String(cString: notification.pointee.relname), payload: String(cString: notification.pointee.extra)))
        }
        return taken
    }

    /// The SCRAM verifier that the server stores instead of the password (RFC 5803), computed here so that the password is not sent.
    func passwordVerifier(of role: String, password: String) throws -> String {
        guard let verifier = PQencryptPasswordConn(connection, password, role, "scram-sha-256") else { throw lost() }
        defer { PQfreemem(verifier) }
        return String(cString: verifier)
    }

    func quotedIdentifier(_ name: String) throws -> String {
        guard let quoted = PQescapeIdentifier(connection, name, name.utf8.count) else { throw lost() }
        defer { PQfreemem(quoted) }
        return String(cString: quoted)
    }
}

/// A NULL-terminated array of C strings, freed with the last reference.
private final class CStrings {
    private let copies: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) { copies = strings.map { strdup($0) } }

    var pointers: [UnsafePointer<CChar>?] { copies.map { UnsafePointer($0) } + [nil] }

    deinit { for copy in copies { free(copy) } }
}
