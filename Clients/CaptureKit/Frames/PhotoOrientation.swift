/// How to show a stored picture upright, as EXIF numbers it (CIPA DC-008 §4.6.4, tag 0x0112) and `CGImagePropertyOrientation` does.
public enum PhotoOrientation: Int, Sendable, CaseIterable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored
    /// Turned clockwise by a quarter, as a phone held upright needs it.
    case right
    case rightMirrored, left
}
