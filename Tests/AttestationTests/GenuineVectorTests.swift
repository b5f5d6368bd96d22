import Foundation
import Models
import TestSupport
import Testing

@testable import Attestation

@Suite("Genuine App Attest objects", .enabled(if: SharedData.isPresent, "needs ../shared/data/appattest"))
struct GenuineVectorTests {
    @Test("every genuine attestation is accepted with its expected fields")
    func attestations() throws {
        let vectors = try Vectors.load().attestations
        #expect(vectors.count == 36)
        for vector in vectors {
            let verdict = try appraise(
                vector.attestationObject, keyID: vector.keyId, appID: vector.appId, environment: vector.environment,
                hash: vector.clientDataHash, at: vector.validAt, anchor: vector.trustAnchor)
            guard case .verified(let verified) = verdict else {
                Issue.record("\(vector.id): \(verdict)")
                continue
            }
            #expect(verified.publicKeyX963 == Array(vector.expected.publicKeyX963), "\(vector.id)")
            #expect(verified.keyID == Array(vector.keyId), "\(vector.id)")
            #expect(verified.receipt?.count == vector.expected.receiptLength, "\(vector.id)")
            #expect(verified.appID == vector.appId && verified.environment.rawValue == vector.environment, "\(vector.id)")
            #expect(!verified.isDevelopmentRoot, "\(vector.id)")
        }
    }

    @Test("every genuine assertion is accepted with its counter, high s included")
    func assertions() throws {
        let vectors = try Vectors.load().assertions
        #expect(vectors.count == 23)
        for vector in vectors {
            let verdict = AssertionAppraiser(appIDs: [vector.appId]).appraise(
                Array(vector.assertion), publicKeyX963: Array(vector.publicKeyX963), clientDataHash: Array(vector.clientDataHash))
            guard case .verified(let verified, 0) = verdict else {
                Issue.record("\(vector.id): \(verdict)")
                continue
            }
            #expect(verified.counter == vector.expected.counter, "\(vector.id)")
            #expect(verified.counter > vector.previousCounter, "\(vector.id)")
        }
    }
}

@Suite("Changed App Attest objects", .enabled(if: SharedData.isPresent, "needs ../shared/data/appattest"))
struct NegativeVectorTests {
    /// Without the vectors that require receipt validation, which the receipt's own checks reject.
    @Test("every negative vector is refused with one of its expected classes")
    func negatives() throws {
        let negatives = try Negatives.load().negatives.filter { $0.requires == nil }
        #expect(negatives.count == 239)
        for negative in negatives {
            let failure = try negative.kind == "attestation" ? attestationFailure(negative) : assertionFailure(negative)
            let isAccepted = failure.map(negative.errorClassesAccepted.contains) ?? false
            #expect(
                isAccepted, "\(negative.id) (\(negative.description)): \(failure ?? "accepted") not in \(negative.errorClassesAccepted)")
        }
    }

    private func attestationFailure(_ negative: Negative) throws -> String? {
        let verdict = try appraise(
            #require(negative.attestationObject), keyID: #require(negative.keyId), appID: negative.appId,
            environment: #require(negative.environment), hash: negative.clientDataHash, at: #require(negative.validAt),
            anchor: #require(negative.trustAnchor))
        if case .rejected(let failure) = verdict { return failure.rawValue }
        return nil
    }

    private func assertionFailure(_ negative: Negative) throws -> String? {
        let verdict = AssertionAppraiser(appIDs: [negative.appId]).appraise(
            Array(try #require(negative.assertion)), publicKeyX963: Array(try #require(negative.publicKeyX963)),
            clientDataHash: Array(negative.clientDataHash))
        switch verdict {
        case .rejected(let failure): return failure.reason.rawValue
        case .verified(let verified, _):
            // Apple's rule for one that keeps the last counter only.
            let isAbove = verified.counter > negative.previousCounter ?? 0
            return isAbove ? nil : HardwareReason.counterReplay.rawValue
        }
    }

    static let sweeps = (try? Negatives.load().sweeps) ?? []

    @Test("there are sweeps that list changes")
    func sweepsAreRead() throws { #expect(try Negatives.load().sweeps.count == 8) }

    @Test("every change listed in a sweep is refused", arguments: sweeps.map(\.id))
    func sweep(id: String) throws {
        let sweep = try #require(Self.sweeps.first { $0.id == id })
        let vectors = try Vectors.load()
        let isRefused: ([UInt8]) throws -> Bool
        let base: [UInt8]
        if sweep.kind == "attestation" {
            let vector = try #require(vectors.attestations.first { $0.id == sweep.base })
            base = Array(vector.attestationObject)
            let appraiser = AttestationAppraiser(
                roots: .apple, appIDs: [vector.appId], environment: AppAttestEnvironment(rawValue: vector.environment) ?? .production)
            isRefused = { bytes in
                let verdict = appraiser.appraise(
                    bytes, keyID: Array(vector.keyId), clientDataHash: Array(vector.clientDataHash), at: vector.validAt)
                if case .rejected = verdict { return true }
                return false
            }
        } else {
            let vector = try #require(vectors.assertions.first { $0.id == sweep.base })
            base = Array(vector.assertion)
            let appraiser = AssertionAppraiser(appIDs: [vector.appId])
            isRefused = { bytes in
                let verdict = appraiser.appraise(
                    bytes, publicKeyX963: Array(vector.publicKeyX963), clientDataHash: Array(vector.clientDataHash))
                if case .rejected = verdict { return true }
                return false
            }
        }
        var count = 0
        for (index, variant) in variants(of: base, sweep) {
            count += 1
            if try !isRefused(variant) { Issue.record("\(sweep.id): entry \(index) was accepted") }
        }
        #expect(count > 100)
    }

    private func variants(of base: [UInt8], _ sweep: Sweep) -> [(Int, [UInt8])] {
        let isExcepted: (Int) -> Bool = { index in (sweep.exceptRanges ?? []).contains { $0[0] <= index && index <= $0[1] } }
        switch sweep.operation {
        case "truncate": return base.indices.map { ($0, Array(base[..<$0])) }
        case "xor-one-byte":
            return base.indices.filter { !isExcepted($0) }.map { index in
                var changed = base
                changed[index] ^= sweep.mask ?? 1
                return (index, changed)
            }
        default:
            return base.indices.filter { !isExcepted($0) }.flatMap { index in
                (0..<8).map { bit in
                    var changed = base
                    changed[index] ^= 1 << bit
                    return (index * 8 + bit, changed)
                }
            }
        }
    }
}
