import Blocking
import CaptureProtocol
import Crypto
import Foundation
import ManifestStore
import Models
import Signing
import Testing

@testable import ContentCredentials

@Suite("Digest of a copy's manifest store")
struct OwnStoreTests {
    @Test("read from a copy, is the one recorded at signing", arguments: SigningAlgorithm.allCases)
    func identity(algorithm: SigningAlgorithm) throws {
        let fixture = try Fixture(algorithm: algorithm)
        let (copy, result) = try fixture.sign()
        let embedded = try #require(EmbeddedStore(jpegHead: copy))
        #expect(embedded.bytes == result.manifest)
        let identity = try #require(StoreIdentity(embedded.bytes))
        #expect(identity.label == result.manifestID)
        #expect(identity.digest.bytes == Array(SHA256.hash(data: result.manifest)))
        let certificate = try SigningCertificate(pem: fixture.identity.chainPEM)
        #expect(identity.leafDigest.hex == certificate.leafFingerprint)
        #expect(SigningCertificate.serialNumber(ofCertificate: identity.leaf) == certificate.serialNumber)
        // The hard binding excludes exactly the segments of the store.
        let binding = try #require(identity.binding)
        #expect(binding.excluded == embedded.range)
        let rest = Array(copy[..<embedded.range.lowerBound]) + copy[embedded.range.upperBound...]
        #expect(binding.sha256.bytes == Array(SHA256.hash(data: rest)))
        #expect(rest == fixture.photo, "all that is not the store is the photo that was signed")
    }

    @Test("is found in the start of a file, and not when that ends too early")
    func head() throws {
        let copy = try Fixture().sign().copy
        let embedded = try #require(EmbeddedStore(jpegHead: copy))
        let scan = copy.count - copy.scan.count
        #expect(EmbeddedStore(jpegHead: Array(copy.prefix(scan + 4))) == embedded)
        for count in [0, 1, 3, embedded.range.lowerBound, embedded.range.lowerBound + 30, embedded.range.upperBound - 1, scan] {
            #expect(EmbeddedStore(jpegHead: Array(copy.prefix(count))) == nil, "\(count)")
        }
    }

    @Test("changes with every byte of the store")
    func changed() throws {
        let (copy, result) = try Fixture().sign()
        let identity = try #require(StoreIdentity(result.manifest))
        let range = try #require(EmbeddedStore(jpegHead: copy)).range
        for offset in stride(from: range.lowerBound + 12, to: range.upperBound, by: 101) {
            let other = EmbeddedStore(jpegHead: copy.changed(at: offset)).flatMap { StoreIdentity($0.bytes) }
            #expect(other?.digest != identity.digest, "\(offset)")
        }
    }

    @Test("survives every cut and every changed byte of the store")
    func hostile() throws {
        let manifest = try Fixture().sign().result.manifest
        for count in 0..<min(manifest.count, 4_000) { #expect(StoreIdentity(Array(manifest.prefix(count))) == nil) }
        for offset in 0..<min(manifest.count, 4_000) {
            for value: UInt8 in [0, 0x7f, 0xff] {
                var other = manifest
                other[offset] = value
                _ = StoreIdentity(other)
            }
        }
    }
}

@Suite("Own and listed trust anchors")
struct VoucherTests {
    @Test("are applied separately")
    func apart() throws {
        let (ours, stranger) = (try Fixture(), try Fixture())
        let reader = try CredentialReader(trustAnchorsPEM: stranger.identity.rootPEM, ownAnchorsPEM: ours.identity.rootPEM)
        for (fixture, voucher) in [(ours, CredentialReport.Voucher.own), (stranger, .listed)] {
            let file = try NamelessFile(holding: fixture.sign().copy)
            let report = reader.read(fileDescriptor: file.descriptor, mediaType: "image/jpeg", at: .now)
            #expect(report.state == .trusted && report.voucher == voucher)
        }
        let file = try NamelessFile(holding: Fixture().sign().copy)
        let unknown = reader.read(fileDescriptor: file.descriptor, mediaType: "image/jpeg", at: .now)
        #expect(unknown.state == .valid && unknown.voucher == nil)
    }
}
