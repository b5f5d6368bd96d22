public import Foundation

/// A value that can be bound to a parameter of a statement.
public protocol PostgresBindable: Sendable {
    /// The type's object identifier in `pg_type`.
    static var postgresType: UInt32 { get }
    /// The value in PostgreSQL's binary format; `nil` is NULL.
    var postgresBytes: [UInt8]? { get }
}

/// Object identifiers of built-in types (`pg_type.dat`); they never change.
enum TypeID {
    static let bool: UInt32 = 16, bytea: UInt32 = 17, int8: UInt32 = 20, int4: UInt32 = 23, text: UInt32 = 25
    static let float8: UInt32 = 701, timestamptz: UInt32 = 1184, uuid: UInt32 = 2950, jsonb: UInt32 = 3802
    static let byteaArray: UInt32 = 1001, textArray: UInt32 = 1009, int8Array: UInt32 = 1016, uuidArray: UInt32 = 2951
}

/// The bytes of an integer, most significant first, as in PostgreSQL's binary formats.
func bigEndianBytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

/// Sent with its length, so that PostgreSQL refuses text with a NUL (SQLSTATE 22021) instead of truncating it.
extension String: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.text }
    public var postgresBytes: [UInt8]? { Array(utf8) }
}

extension Bool: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.bool }
    public var postgresBytes: [UInt8]? { [self ? 1 : 0] }
}

extension Int: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.int8 }
    public var postgresBytes: [UInt8]? { bigEndianBytes(Int64(self)) }
}

extension Int64: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.int8 }
    public var postgresBytes: [UInt8]? { bigEndianBytes(self) }
}

extension Int32: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.int4 }
    public var postgresBytes: [UInt8]? { bigEndianBytes(self) }
}

/// Bound as `bigint`, since PostgreSQL has no unsigned integers.
extension UInt32: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.int8 }
    public var postgresBytes: [UInt8]? { bigEndianBytes(Int64(self)) }
}

extension Double: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.float8 }
    public var postgresBytes: [UInt8]? { bigEndianBytes(bitPattern) }
}

extension UUID: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.uuid }
    public var postgresBytes: [UInt8]? { withUnsafeBytes(of: uuid) { Array($0) } }
}

extension Data: PostgresBindable {
    public static var postgresType: UInt32 { TypeID.bytea }
    public var postgresBytes: [UInt8]? { Array(self) }
}

extension Optional: PostgresBindable where Wrapped: PostgresBindable {
    public static var postgresType: UInt32 { Wrapped.postgresType }
    public var postgresBytes: [UInt8]? { self?.postgresBytes }
}
