import ArgumentParser
import Attestation
import CaptureProtocol
import Foundation
import ServiceRuntime
import TransparencyLog

/// `rial verify --bundle`: reads what the command names, verifies it, and ends with the outcome's code.
struct BundleVerification {
    private let command: VerifyCommand
    private let bundle: String
    private let environment: ServiceEnvironment

    init(_ command: VerifyCommand, bundle: String, environment: ServiceEnvironment = ServiceEnvironment()) {
        self.command = command
        self.bundle = bundle
        self.environment = environment
    }

    func run() async throws {
        let report: BundleReport
        do {
            report = try await verify()
        } catch {
            // Not 1, which says that the bundle is wrong: that is never an error, but a report.
            Console.progress("Error: \(error)")
            throw ExitCode(BundleReport.Outcome.unreadable.exitCode)
        }
        let text = BundleReportText(report: report)
        Console.result(command.json ? try text.json() : text.text, isJSON: command.json)
        guard report.outcome == .proved else { throw ExitCode(report.outcome.exitCode) }
    }

    private func verify() async throws -> BundleReport {
        guard !command.offline, !command.hashOnly else {
            throw CommandFailure("--bundle sends nothing: leave out --offline and --hash-only")
        }
        guard let path = command.policy else {
            throw CommandFailure("--bundle needs --policy: whom to trust is for the one who verifies to say, not for the bundle")
        }
        let check = BundleCheck(
            policy: try policy(path), timestampAnchors: try command.timestampAnchors.map(timestampAnchors),
            roots: try command.attestRoots.map(roots) ?? .apple, credentials: try command.credentialReader(environment))
        let files = try command.files.map { GivenFile(name: $0, bytes: try LocalFile.bytes($0)) }
        return await check.report(on: try LocalFile.bytes(bundle), files: files)
    }

    private func policy(_ path: String) throws -> TrustPolicy {
        do {
            return try TrustPolicy(try LocalFile.bytes(path))
        } catch let error as TransparencyLogError {
            throw CommandFailure("\(path) is not a policy of c2sp.org/tlog-policy: it \(error.message)")
        }
    }

    private func timestampAnchors(_ path: String) throws -> TimestampAnchors {
        do {
            return try TimestampAnchors(pem: String(decoding: try LocalFile.bytes(path), as: UTF8.self))
        } catch let error as BundleError {
            throw CommandFailure("\(path): \(error.message)")
        }
    }

    private func roots(_ path: String) throws -> TrustRoots {
        let pem = String(decoding: try LocalFile.bytes(path), as: UTF8.self)
        guard let roots = try? TrustRoots.apple.adding(pem: pem) else { throw CommandFailure("\(path) holds no certificates in PEM") }
        return roots
    }
}
