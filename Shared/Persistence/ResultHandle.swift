import CLibPQ
import Foundation

/// Owns one `PGresult`, which is immutable.
final class ResultHandle {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var isError: Bool {
        let status = PQresultStatus(result)
        return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE
    }

    var isCopy: Bool {
        let status = PQresultStatus(result)
        return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH
    }

    /// Such as `COMMIT` or `UPDATE 3`.
    var commandTag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    /// Rows inserted, updated, deleted or selected; 0 for other commands.
    var affectedRows: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The server's error, with only the primary message, since the detail may quote values.
    /// - Parameter statement: its text, with `$1` for parameters; the beginning of it is added to the message.
    func error(in statement: String) -> PostgresError {
        let sqlState = field("C")  // PG_DIAG_SQLSTATE
        let message = field("M") ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? ""  // PG_DIAG_MESSAGE_PRIMARY
        let excerpt = statement.prefix(120).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isLost = sqlState.map { $0.hasPrefix("57P0") || $0.hasPrefix("08") } ?? !message.isEmpty
        return PostgresError(
            code: isLost ? .connectionFailed : .query,
            message: message.trimmingCharacters(in: .whitespacesAndNewlines) + " in: " + excerpt, sqlState: sqlState,
            constraint: field("n"))  // PG_DIAG_CONSTRAINT_NAME
    }

    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }

    /// Copies the rows out.
    func rows() -> [Row] {
        let width = PQnfields(result)
        let height = PQntuples(result)
        guard width > 0, height > 0 else {
            // A row may have no columns (`SELECT FROM t`).
            let empty = ResultTable(columns: [], bytes: [], cells: [])
            return (0..<max(0, Int(height))).map { Row(table: empty, index: $0) }
        }
        var bytes: [UInt8] = []
        var cells: [Range<Int>?] = []
        cells.reserveCapacity(Int(width) * Int(height))
        for row in 0..<height {
            for column in 0..<width {
                guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
                    cells.append(nil)
                    continue
                }
                let start = bytes.count
                bytes.append(contentsOf: UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column))))
                cells.append(start..<bytes.count)
            }
        }
        let names = (0..<width).map { column in PQfname(result, column).map { String(cString: $0) } ?? "" }
        let table = ResultTable(columns: names, bytes: bytes, cells: cells)
        return (0..<Int(height)).map { Row(table: table, index: $0) }
    }
}
