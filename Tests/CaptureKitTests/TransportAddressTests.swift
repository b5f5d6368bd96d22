import CaptureKit
import CaptureProtocol
import Foundation
import Testing

@Suite("Address of the server")
struct TransportAddressTests {
    private static let pins = PinSet([ContentDigest(of: [UInt8]())])

    private static func origin(_ text: String, _ trust: ServerTrust) throws -> String { try trust.origin(of: #require(URL(string: text))) }

    @Test("is https with pins, or http to loopback without")
    func accepts() throws {
        #expect(try Self.origin("https://example.com/", ServerTrust(pins: Self.pins)) == "https://example.com")
        #expect(try Self.origin("https://example.com:8443", ServerTrust(pins: Self.pins)) == "https://example.com:8443")
        for address in ["http://localhost:8080", "http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:8080"] {
            #expect(try Self.origin(address, ServerTrust(pins: .none)) == address)
        }
    }

    @Test(
        "is no http to another machine",
        arguments: [
            "http://example.com", "http://127.0.0.1.example.com", "http://127.0.0.256", "http://localhost.example.com", "http://10.0.0.1",
        ])
    func plainText(address: String) {
        #expect(throws: ServerAddressError.plainText) { try Self.origin(address, ServerTrust(pins: Self.pins)) }
        #expect(throws: Never.self) { try Self.origin(address, ServerTrust(pins: .none, isDevelopment: true)) }
    }

    @Test("is no https without pins, except in development")
    func notPinned() {
        #expect(throws: ServerAddressError.notPinned) { try Self.origin("https://localhost", ServerTrust(pins: .none)) }
        #expect(throws: Never.self) { try Self.origin("https://localhost", ServerTrust(pins: .none, isDevelopment: true)) }
    }

    @Test(
        "is nothing but scheme, host and port",
        arguments: [
            "ftp://localhost", "localhost", "/path", "http://localhost/path", "http://localhost?a", "http://localhost#a",
            "http://user@localhost", "http://user:word@localhost", "http://", "http://localhost//", "http://[::1]:8080//",
        ])
    func malformed(address: String) {
        #expect(throws: ServerAddressError.malformed) { try Self.origin(address, ServerTrust(pins: Self.pins, isDevelopment: true)) }
    }

    @Test("knows its keys by their pins")
    func pins() {
        let trust = ServerTrust(pins: PinSet([ContentDigest(of: [1]), ContentDigest(of: [2])]))
        #expect(trust.accepts(subjectPublicKeyInfo: [1]))
        #expect(trust.accepts(subjectPublicKeyInfo: [2]))
        #expect(!trust.accepts(subjectPublicKeyInfo: [3]))
        #expect(ServerTrust(pins: .none).accepts(subjectPublicKeyInfo: [3]))
    }
}
