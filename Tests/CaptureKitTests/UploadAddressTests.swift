import Foundation
import Testing

@testable import CaptureKit

@Suite("The address of an upload")
struct UploadAddressTests {
    private static let origin = "https://rial.example:8443"
    private static let token = "0aZ-_" + String(repeating: "x", count: 38)

    @Test(
        "is followed at the server that is configured",
        arguments: [
            ("https://rial.example:8443", "https://rial.example:8443"), ("https://rial.example:8443", "HTTPS://RIAL.example:8443"),
            ("https://rial.example", "https://rial.example:443"), ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:8080", "http://[::1]:8080"), ("https://rial.example", ""),
        ])
    func own(origin: String, prefix: String) {
        let address = UploadAddress(location: "\(prefix)/api/v1/uploads/\(Self.token)", at: origin)
        #expect(address?.target == "/api/v1/uploads/\(Self.token)")
    }

    @Test(
        "is followed nowhere else",
        arguments: [
            "https://evil.example:8443", "http://rial.example:8443", "https://rial.example", "https://rial.example:8444",
            "//rial.example:8443", "//evil.example", "https://rial.example:8443@evil.example", "https://u@rial.example:8443",
            "https://u:p@rial.example:8443", "https://rial.example.evil.example:8443", "ftp://rial.example:8443", "rial.example:8443",
            "https:", "https://", "file://", ".", "..",
        ])
    func elsewhere(prefix: String) {
        #expect(UploadAddress(location: "\(prefix)/api/v1/uploads/\(Self.token)", at: Self.origin) == nil)
        #expect(UploadAddress(location: "https://rial.example:8443/api/v1/uploads/\(Self.token)", at: nil) == nil)
    }

    @Test(
        "is nothing but an upload's",
        arguments: [
            "", "/", "/api/v1/uploads", "/api/v1/uploads/", "/api/v1/captures/x", "/api/v1/uploads/x/y", "/api/v1/uploads/../captures",
            "/api/v1/uploads/x?y=1", "/api/v1/uploads/x#y", "/api/v1/uploads/%2e%2e", "/api/v1/uploads/x y", "/api/v1/uploads/ä",
            "/API/v1/uploads/x", "/api/v1/uploads/" + String(repeating: "x", count: 129), "/api/v1/uploads/x\r\nX-Evil: 1",
            "api/v1/uploads/x", "/" + String(repeating: "x", count: 3000), "/a/../api/v1/uploads/x",
        ])
    func malformed(path: String) {
        #expect(UploadAddress(location: path, at: Self.origin) == nil)
        #expect(UploadAddress(location: Self.origin + path, at: Self.origin) == nil)
    }

    @Test("is kept, and refused if what is kept is none; no text shows it")
    func kept() throws {
        let address = try #require(UploadAddress(location: "/api/v1/uploads/\(Self.token)", at: nil))
        let bytes = try JSONEncoder().encode([address])
        #expect(try JSONDecoder().decode([UploadAddress].self, from: bytes) == [address])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([UploadAddress].self, from: Data(#"["../captures"]"#.utf8)) }
        #expect(!"\(address)".contains("aZ"))
        #expect(!"\(KeptUpload(address: address, lengthBytes: 1))".contains("aZ"))
    }
}
