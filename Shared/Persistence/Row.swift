/// One row of a result, copied out of libpq; its columns are read by name.
public struct Row: Sendable {
    let table: ResultTable
    let index: Int

    /// - Throws: ``PostgresError`` with `decoding` if there is no such column, it is NULL, or it is not a `T`.
    public func get<T: PostgresDecodable>(_ column: String, as type: T.Type = T.self) throws -> T {
        guard let value = try getOptional(column, as: type) else {
            throw PostgresError(code: .decoding, message: "column \(column) is NULL")
        }
        return value
    }

    /// - Returns: `nil` if the column is NULL.
    /// - Throws: ``PostgresError`` with `decoding` if there is no such column, or it is not a `T`.
    public func getOptional<T: PostgresDecodable>(_ column: String, as type: T.Type = T.self) throws -> T? {
        guard let position = table.columns[column] else {
            throw PostgresError(code: .decoding, message: "there is no column \(column)")
        }
        guard let text = table.cell(row: index, column: position) else { return nil }
        guard let value = T.decode(postgresText: text) else {
            throw PostgresError(code: .decoding, message: "column \(column) is not a \(T.self)")
        }
        return value
    }

    /// The column's word, or number, of a fixed list.
    /// - Throws: ``PostgresError`` with `decoding` also if this version does not know it.
    public func word<Word: RawRepresentable>(_ column: String, as type: Word.Type = Word.self) throws -> Word
    where Word.RawValue: PostgresDecodable {
        guard let word = try wordIfPresent(column, as: type) else {
            throw PostgresError(code: .decoding, message: "column \(column) is NULL")
        }
        return word
    }

    /// Like ``word(_:as:)``.
    /// - Returns: `nil` if the column is NULL.
    /// - Throws: ``PostgresError`` with `decoding`.
    public func wordIfPresent<Word: RawRepresentable>(_ column: String, as type: Word.Type = Word.self) throws -> Word?
    where Word.RawValue: PostgresDecodable {
        guard let value = try getOptional(column, as: Word.RawValue.self) else { return nil }
        guard let word = Word(rawValue: value) else {
            throw PostgresError(code: .decoding, message: "column \(column) has the unknown word \(value)")
        }
        return word
    }
}

/// The cells of a result in one buffer, which its rows share.
final class ResultTable: Sendable {
    /// Column positions by name; of several columns with the same name the first counts.
    let columns: [String: Int]
    private let width: Int
    private let bytes: [UInt8]
    /// Row-major, `nil` for NULL.
    private let cells: [Range<Int>?]

    init(columns names: [String], bytes: [UInt8], cells: [Range<Int>?]) {
        columns = Dictionary(zip(names, names.indices)) { first, _ in first }
        width = names.count
        self.bytes = bytes
        self.cells = cells
    }

    func cell(row: Int, column: Int) -> ArraySlice<UInt8>? { cells[row * width + column].map { bytes[$0] } }
}
