import Foundation
import SimulatedDevice

/// The folder with the root and intermediate that sign simulated attestations.
struct DevelopmentRoot {
    let folder: URL

    /// The certificate that services trust by `RIAL_APP_ATTEST_EXTRA_ROOTS`.
    var certificate: URL { folder.appendingPathComponent("app-attest-root.pem") }

    /// Loads the authority, or creates one.
    /// - Throws: ``CommandFailure``.
    func authority() throws -> DevelopmentAttestationAuthority {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            return try DevelopmentAttestationAuthority.loadOrCreate(in: folder)
        } catch {
            throw CommandFailure("The development root in \(folder.path) cannot be used: \(error)")
        }
    }

    /// Creates the files that are missing.
    func create() throws {
        let pem = Data(try authority().rootPEM.utf8)
        guard (try? Data(contentsOf: certificate)) != pem else { return }
        do {
            try pem.write(to: certificate, options: .atomic)
        } catch {
            throw CommandFailure("\(certificate.path) cannot be written.")
        }
    }
}
