/// Computes the nesting depth of JSON text without parsing it: Foundation's parser recurses once per level and could overflow the stack.
public enum JSONNesting {
    /// - Returns: how many arrays and objects are open at once, at most; 0 for a text without any.
    public static func depth(of bytes: [UInt8]) -> Int {
        var depth = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped { isEscaped = false } else if byte == 0x5c { isEscaped = true } else if byte == 0x22 { isInString = false }
                continue
            }
            switch byte {
            case 0x22: isInString = true
            case 0x5b, 0x7b:
                depth += 1
                deepest = max(deepest, depth)
            case 0x5d, 0x7d: depth -= 1
            default: break
            }
        }
        return deepest
    }
}
